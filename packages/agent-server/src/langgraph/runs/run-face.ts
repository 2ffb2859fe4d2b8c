import type { Principal } from '@roadstead/contracts';
import type { Database } from '@roadstead/kit';
import type { AccessRules } from '../../access/caller.ts';
import type { Runs } from '../../runs/runs.ts';
import type { AssistantSettings } from './run-request-rules.ts';

/** What the LangGraph API's runs need of everything else. */
export interface RunFace {
  readonly db: Database;
  readonly runs: Runs;
  readonly access: AccessRules;
  readonly assistants: {
    /** By its id, or by the id of a graph whose own assistant is meant. */
    find(assistant_id: string): Promise<AssistantSettings | undefined>;
  };
  /** The state of a thread as clients see it. */
  readonly readValues: (thread_id: string) => Promise<unknown>;
  /** Headers of a call that graphs may read, by the deployment's `http.configurable_headers`. */
  readonly configurableHeaders: (headers: Headers) => Readonly<Record<string, string>>;
  /** Milliseconds of silence after which something is sent to keep a connection open; 15 s unless said. */
  readonly heartbeat_ms?: number;
}

/** The part of a call that its handlers share. */
export interface RunCall {
  readonly principal: Principal;
  readonly request: Request;
  readonly signal: AbortSignal;
}
