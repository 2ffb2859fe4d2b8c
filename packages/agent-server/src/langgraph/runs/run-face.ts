import type { Principal } from '@roadstead/contracts';
import type { HttpSettings } from '@roadstead/contracts/langgraph-json';
import type { Database } from '@roadstead/postgres';
import type { AssistantsByName } from '../../access/assistant-access.ts';
import type { AccessRules } from '../../access/caller.ts';
import type { Runs } from '../../runs/runs.ts';
import type { Threads } from '../../threads/threads.ts';
import type { AssistantSettings } from './run-request-rules.ts';

/** The parts of the agent server that the LangGraph API's runs need. */
export interface RunFace {
  readonly db: Database;
  readonly runs: Runs;
  readonly access: AccessRules;
  readonly assistants: AssistantsByName<AssistantSettings>;
  readonly threads: Pick<Threads, 'read'>;
  /** @throws Problem where a run may not name this webhook */
  readonly checkWebhook: (url: string) => void;
  /** The deployment's HTTP settings; undefined before anything serves. */
  readonly http: () => Pick<HttpSettings, 'configurable_headers'> | undefined;
  /** The project that the deployment traces to; null where it doesn't trace. */
  readonly tracing_project: () => string | null;
  /** Milliseconds of silence after which a comment keeps the connection open; 15 s by default. */
  readonly heartbeat_ms?: number;
}

/** The part of a call that its handlers share. */
export interface RunCall {
  readonly principal: Principal;
  readonly request: Request;
  readonly signal: AbortSignal;
}
