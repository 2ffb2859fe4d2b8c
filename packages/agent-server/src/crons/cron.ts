import type { CronPayload } from '@roadstead/contracts/agent-server';
import type { AuthUser } from '@roadstead/contracts/host';

/** A schedule, and what its runs are made of. */
export interface Cron {
  readonly cron_id: string;
  readonly assistant_id: string;
  /** Null: each run gets a thread of its own. */
  readonly thread_id: string | null;
  /** The principal in whose name it runs. */
  readonly principal: string;
  readonly user: AuthUser | null;
  readonly schedule: string;
  readonly timezone: string | null;
  /** ISO 8601. */
  readonly end_time: string | null;
  readonly enabled: boolean;
  readonly on_run_completed: 'delete' | 'keep';
  readonly payload: CronPayload;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The metadata with which the deployment's own `auth` marked its runs and their threads. */
  readonly marks: Readonly<Record<string, unknown>>;
  /** ISO 8601; null where no run follows. */
  readonly next_run_date: string | null;
  /** Drawn together with the date, so that a run that is begun twice is one run. */
  readonly next_run_id: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** When the next run of a cron begins, and its id. */
export type NextRun = Pick<Cron, 'next_run_date' | 'next_run_id'>;
