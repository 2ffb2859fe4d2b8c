import { GroupCommit } from '@roadstead/postgres';
import { commitBegins, commitResume } from '../runs/begin-store.ts';
import { MAX_GROUP_BYTES } from '../run-log/commit-log.ts';
import type { EngineLife } from '../runs/engine-life.ts';
import { isUnfinished } from '../runs/run-store.ts';
import type { RunHosts, RunTasks } from './engine-options.ts';
import { KeyedLock } from './keyed-lock.ts';
import { adoptedRun } from './new-runs.ts';
import type { RunSchedule } from './run-schedule.ts';
import type { Suspicions } from './suspicions.ts';
import type { LiveRun } from '../runs/live-run.ts';
import type { LiveRuns } from '../runs/live-runs.ts';
import type { BeginRecord, RunRow } from '../runs/records.ts';
import { type AdmissionLimits, DELAYED, RunAdmission } from './run-admission.ts';
import type { NewRun } from '../runs/run.ts';
import { weightOf } from '../run-log/weight.ts';

export interface RunIntakeOptions {
  readonly life: EngineLife;
  readonly live: LiveRuns;
  readonly hosts: Pick<RunHosts, 'requireRunnable'>;
  /** @throws Problem while there is no room for a new run */
  readonly requireRoom: () => void;
  readonly tasks: RunTasks;
  readonly limits: AdmissionLimits | undefined;
  /** Gets the runs that are committed. */
  readonly schedule: RunSchedule;
  /** Raised when it is not known whether a run is committed. */
  readonly suspicions: Suspicions;
}

interface Begin {
  readonly record: BeginRecord;
  /** About how many bytes it takes. */
  readonly weight: number;
}

/** Takes runs in: as many as the limits admit, one after the other on a thread, and many in one commit. */
export class RunIntake {
  readonly #options: RunIntakeOptions;
  readonly #admission: RunAdmission;
  readonly #delayed: RunAdmission;
  readonly #locks = new KeyedLock();
  readonly #begins: GroupCommit<Begin, boolean>;
  /** Runs whose commit is on its way. */
  readonly #beginning = new Set<string>();

  constructor(options: RunIntakeOptions) {
    this.#options = options;
    this.#admission = new RunAdmission({ limits: options.limits });
    this.#delayed = new RunAdmission(DELAYED);
    const { db, epoch } = options.life;
    this.#begins = new GroupCommit<Begin, boolean>({
      max_items: 200,
      max_weight: MAX_GROUP_BYTES,
      weigh: ({ weight }) => weight,
      flush: async (begins) => {
        const made = await commitBegins(db, { items: begins.map(({ record }) => record), epoch });
        return begins.map(({ record }) => made.has(record.run.run_id));
      },
    });
  }

  /** Whether this engine holds the run, or is about to. */
  isHeld(run_id: string): boolean {
    return this.#beginning.has(run_id) || this.#options.live.get(run_id) !== undefined;
  }

  /**
   * Does the work of a request while nothing else begins on its thread; `commit` writes the run and answers whether it
   * did.
   * @throws Problem `unavailable` when no more is admitted, or nothing can be run; `limit` when the database is full
   */
  async enter<T>(
    { thread, graph_id, kwargs, metadata, task, principal, after_ms = 0 }: NewRun,
    work: (commit: (run: LiveRun, record: BeginRecord) => Promise<boolean>) => Promise<T>,
  ): Promise<T> {
    this.#options.hosts.requireRunnable(graph_id);
    this.#options.requireRoom();
    const admission = after_ms > 0 ? this.#delayed : this.#admission;
    // Weighed once for all uses: weighing what is large takes a while.
    const weight = weightOf(kwargs) + weightOf(task?.projection.row.history) + weightOf(metadata);
    using slot = admission.admit(weight, principal);
    return await this.#locks.run(thread.thread_id, () =>
      work((run, record) => this.#commit(run, { record, weight, slot })),
    );
  }

  /** Does something to a thread while nothing begins on it. */
  exclude<T>(thread_id: string, work: () => Promise<T>): Promise<T> {
    return this.#locks.run(thread_id, work);
  }

  /** Tries a run again that an earlier engine left unfinished, or whose commit's answer was lost. */
  async adopt(row: RunRow): Promise<void> {
    const { life, tasks, schedule } = this.#options;
    const { db } = life;
    const run = await adoptedRun(row, { db, tasks });
    if (life.replaced.aborted || !(await isUnfinished(db, row))) return;
    this.#readmit(run);
    schedule.add(run);
  }

  /** Resolves once nothing is being committed. */
  idle(): Promise<void> {
    return this.#begins.idle();
  }

  /** Reserves a slot for a run that an earlier engine took in. */
  #readmit(run: LiveRun): void {
    const { kwargs, principal, not_before } = run.row;
    const admission =
      not_before !== null && Date.parse(not_before) > Date.now() ? this.#delayed : this.#admission;
    run.slot = admission.reserve(weightOf(kwargs) + weightOf(run.task?.row.history), principal);
  }

  /** A commit whose answer was lost may have succeeded all the same: then the run is found later. */
  async #commit(
    run: LiveRun,
    { record, weight, slot }: Begin & { readonly slot: DisposableStack },
  ): Promise<boolean> {
    const { life, schedule, suspicions } = this.#options;
    const { db, epoch } = life;
    const { run_id } = run.row;
    this.#beginning.add(run_id);
    try {
      const resumes = record.task?.resume !== undefined;
      const made = await (resumes
        ? commitResume(db, { record, epoch })
        : this.#begins.add({ record, weight }));
      if (!made) return false;
      run.slot = slot.move();
      schedule.add(run);
      return true;
    } catch (error) {
      suspicions.raise();
      throw error;
    } finally {
      this.#beginning.delete(run_id);
    }
  }
}
