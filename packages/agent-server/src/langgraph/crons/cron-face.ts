import type { Principal } from '@roadstead/contracts';
import type { Clock } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import type { AccessRules, Caller, MetadataFilters } from '../../access/caller.ts';
import type { CronLoop } from '../../crons/cron-loop.ts';

/** The parts of the agent server that crons need. */
export interface CronFace {
  readonly db: Database;
  /** The engine's epoch. */
  readonly epoch: number;
  readonly loop: Pick<CronLoop, 'expect'>;
  readonly access: AccessRules;
  readonly callerOf: (principal: Principal) => Caller;
  /** Finds an assistant that the caller may run, by its id or by the id of the graph that it belongs to. */
  readonly findAssistant: (
    name: string,
    caller: Caller,
  ) => Promise<{ readonly assistant_id: string; readonly graph_id: string } | undefined>;
  /** Finds a thread that passes these filters. */
  readonly findThread: (thread_id: string, filters: MetadataFilters | null) => Promise<object | undefined>;
  /** @throws Problem where a run may not name this webhook */
  readonly checkWebhook: (url: string) => void;
  readonly clock?: Clock;
}
