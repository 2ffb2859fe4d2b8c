import type { Principal } from '@roadstead/contracts';
import type { Clock, Database } from '@roadstead/kit';
import type { AccessRules, Caller, MetadataFilters } from '../../access/caller.ts';
import type { CronLoop } from '../../crons/cron-loop.ts';

/** What crons need of everything else. */
export interface CronFace {
  readonly db: Database;
  /** Of the engine. */
  readonly epoch: number;
  readonly loop: Pick<CronLoop, 'expect'>;
  readonly access: AccessRules;
  readonly callerOf: (principal: Principal) => Caller;
  /** One of which a caller may begin a run, by its id or by the id of a graph whose own assistant is meant. */
  readonly findAssistant: (
    name: string,
    caller: Caller,
  ) => Promise<{ readonly assistant_id: string; readonly graph_id: string } | undefined>;
  /** A thread that these filters let through. */
  readonly findThread: (thread_id: string, filters: MetadataFilters | null) => Promise<object | undefined>;
  /** @throws Problem where a run may not name this webhook */
  readonly checkWebhook: (url: string) => void;
  readonly clock?: Clock;
}
