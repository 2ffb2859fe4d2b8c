import type { AttemptRef, EngineCalls, HostError, RunParams, RunResult } from '@roadstead/contracts/host';
import type { Database, Log } from '@roadstead/kit';
import type { Items } from '../store/items.ts';
import type { RunRow } from '../runs/records.ts';
import type { AdmissionLimits } from './run-admission.ts';
import type { TaskProjection } from '../runs/run.ts';

/** An attempt, as hosts get it. */
interface HostedAttempt {
  readonly params: RunParams;
  /** Who began the run: those who wait for a host take turns. */
  readonly principal: string;
}

/** Where runs are carried out. */
export interface RunHosts {
  /** Runs an attempt on a host of the revision; rejects when its host ends before it does. */
  run(revision_id: string, attempt: HostedAttempt): Promise<RunResult>;
  /** The attempt's result is `cancelled` once its host obeys; its trace says why. */
  cancel(revision_id: string, ref: AttemptRef, why: string | undefined): void;
  /** Asks a host of the revision; one is started where none runs. */
  ask<M extends keyof EngineCalls>(
    revision_id: string,
    method: M,
    params: EngineCalls[M]['params'],
  ): Promise<EngineCalls[M]['result']>;
}

export interface EngineOptions {
  readonly db: Database;
  /** Aborts the opening; the database then stays with its present engine. */
  readonly signal?: AbortSignal;
  readonly hosts: RunHosts;
  /** Reads the task of a run that an earlier engine left unfinished, as it stood before the run's first event. */
  readonly readTask: (db: Database, run: RunRow) => Promise<TaskProjection>;
  /**
   * Makes a run without a task the next run of the task whose question is open on its thread, and answers that task, if
   * there is one.
   */
  readonly continueTask: (
    db: Database,
    of: { readonly run: RunRow; readonly epoch: number },
  ) => Promise<TaskProjection | undefined>;
  /** Called with a task that asks again, because the run that answered it was rolled back. */
  readonly onAskedAgain: (task_id: string) => void;
  /** The store of graphs; by default one without search by meaning. */
  readonly store?: Pick<Items, 'run'>;
  /** Throws a Problem while no run could be given to a host. */
  readonly requireRunnable?: () => void;
  readonly mask: (text: string) => string;
  /** Receives, for the deployment's log, the unmasked exception of a run's graph. */
  readonly onFailure?: (run: RunRow, error: HostError) => void;
  /** Whether callers may read what a graph threw; false by default. */
  readonly expose_errors?: boolean;
  readonly log: Log;
  /** How often to check whether another engine has the database, while anything runs or is read. */
  readonly look_ms?: number;
  /** How much may be unfinished at a time. */
  readonly limits?: AdmissionLimits;
}
