import type { Principal } from '@roadstead/contracts';
import type { HttpSettings } from '@roadstead/contracts/langgraph-json';
import type { Database } from '@roadstead/kit';
import type { AssistantsByName } from '../../access/assistant-access.ts';
import type { AccessRules } from '../../access/caller.ts';
import type { Runs } from '../../runs/runs.ts';
import type { Threads } from '../../threads/threads.ts';
import type { AssistantSettings } from './run-request-rules.ts';

/** What the LangGraph API's runs need of everything else. */
export interface RunFace {
  readonly db: Database;
  readonly runs: Runs;
  readonly access: AccessRules;
  readonly assistants: AssistantsByName<AssistantSettings>;
  readonly threads: Pick<Threads, 'read'>;
  /** @throws Problem where a run may not name this webhook */
  readonly checkWebhook: (url: string) => void;
  /** What the deployment says of its HTTP; undefined before anything serves. */
  readonly http: () => Pick<HttpSettings, 'configurable_headers'> | undefined;
  /** The project that the deployment traces to; null where it doesn't trace. */
  readonly tracing_project: () => string | null;
  /** Milliseconds of silence after which something is sent to keep a connection open; 15 s unless said. */
  readonly heartbeat_ms?: number;
}

/** The part of a call that its handlers share. */
export interface RunCall {
  readonly principal: Principal;
  readonly request: Request;
  readonly signal: AbortSignal;
}
