import type { AttemptRef, EngineCalls, HostError, RunParams } from '@roadstead/contracts/host';
import type { Log } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import type { AttemptResult } from '../hosts/attempt-result.ts';
import type { Items } from '../store/items.ts';
import type { RunRow } from '../runs/records.ts';
import type { AdmissionLimits } from './run-admission.ts';
import type { TaskProjection } from '../runs/run.ts';

/** An attempt, as hosts get it. */
export interface HostedAttempt {
  readonly params: RunParams;
  /** Who began the run: those who wait for a host take turns. */
  readonly principal: string;
  /** How often the run was moved away from a host whose event loop was held up. */
  readonly moves: number;
}

/** Port: where runs are carried out. */
export interface RunHosts {
  /** Runs an attempt on a host of the revision; rejects when its host ends before it does. */
  run(revision_id: string, attempt: HostedAttempt): Promise<AttemptResult>;
  /** The attempt's result is `cancelled` once its host obeys; its trace says why. */
  cancel(revision_id: string, attempt: AttemptRef & { readonly why: string | undefined }): void;
  /** Asks a host of the revision; one is started where none runs. */
  ask<M extends keyof EngineCalls>(
    revision_id: string,
    method: M,
    params: EngineCalls[M]['params'],
  ): Promise<EngineCalls[M]['result']>;
  /** @throws Problem while no run, of the graph if one is named, could be given to a host */
  requireRunnable(graph_id?: string): void;
}

/** Port: the tasks that runs work at. */
export interface RunTasks {
  /** Reads the task of a run that an earlier engine left unfinished, as it stood before the run's first event. */
  read(db: Database, run: RunRow): Promise<TaskProjection>;
  /**
   * Makes a run without a task the next run of the task whose question is open on its thread, and answers that task, if
   * there is one.
   */
  continue(
    db: Database,
    of: { readonly run: RunRow; readonly epoch: number },
  ): Promise<TaskProjection | undefined>;
  /** Called with a task that asks again, because the run that answered it was rolled back. */
  askedAgain(task_id: string): void;
}

export interface EngineOptions {
  readonly db: Database;
  /** Aborts the opening; the database then stays with its present engine. */
  readonly signal?: AbortSignal;
  readonly hosts: RunHosts;
  readonly tasks: RunTasks;
  /** @throws Problem while no new run may begin, for want of room in the database */
  readonly requireRoom?: () => void;
  /** The store of graphs; by default one without search by meaning. */
  readonly store?: Pick<Items, 'run'>;
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
