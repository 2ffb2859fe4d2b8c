import { type Database, GroupCommit } from '@roadstead/kit';
import { commitBegins, commitResume } from '../runs/begin-store.ts';
import { MAX_GROUP_BYTES } from '../run-log/commit-log.ts';
import { KeyedLock } from './keyed-lock.ts';
import type { LiveRun } from '../runs/live-run.ts';
import type { BeginRecord } from '../runs/records.ts';
import { type AdmissionOptions, DELAYED, RunAdmission } from './run-admission.ts';
import type { NewRun } from '../runs/run.ts';
import { weightOf } from '../run-log/weight.ts';

export interface RunIntakeOptions {
  readonly db: Database;
  readonly epoch: number;
  readonly admission: AdmissionOptions;
  /** Takes on a run that is committed. */
  readonly onTaken: (run: LiveRun) => void;
  /** Called when it is not known whether a run is committed. */
  readonly onUnsure: () => void;
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
    this.#admission = new RunAdmission(options.admission);
    this.#delayed = new RunAdmission({ ...options.admission, ...DELAYED });
    const { db, epoch } = options;
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

  isBeginning(run_id: string): boolean {
    return this.#beginning.has(run_id);
  }

  /**
   * Does the work of a request while nothing else begins on its thread; `commit` writes the run and answers whether it
   * did.
   * @throws Problem `unavailable` when no more is admitted
   */
  async enter<T>(
    { thread, kwargs, metadata, task, principal, after_ms = 0 }: NewRun,
    work: (commit: (run: LiveRun, record: BeginRecord) => Promise<boolean>) => Promise<T>,
  ): Promise<T> {
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

  /** Reserves a slot for a run that an earlier engine took in. */
  readmit(run: LiveRun): void {
    const { kwargs, principal, not_before } = run.row;
    const admission =
      not_before !== null && Date.parse(not_before) > Date.now() ? this.#delayed : this.#admission;
    run.slot = admission.reserve(weightOf(kwargs) + weightOf(run.task?.row.history), principal);
  }

  /** Resolves once nothing is being committed. */
  idle(): Promise<void> {
    return this.#begins.idle();
  }

  /** A commit whose answer was lost may have succeeded all the same: then the run is found later. */
  async #commit(
    run: LiveRun,
    { record, weight, slot }: Begin & { readonly slot: DisposableStack },
  ): Promise<boolean> {
    const { db, epoch, onTaken, onUnsure } = this.#options;
    const { run_id } = run.row;
    this.#beginning.add(run_id);
    try {
      const resumes = record.task?.resume !== undefined;
      const made = await (resumes
        ? commitResume(db, { record, epoch })
        : this.#begins.add({ record, weight }));
      if (!made) return false;
      run.slot = slot.move();
      onTaken(run);
      return true;
    } catch (error) {
      onUnsure();
      throw error;
    } finally {
      this.#beginning.delete(run_id);
    }
  }
}
