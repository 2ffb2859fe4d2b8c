import { type Log, Problem } from '@roadstead/kit';
import type { LiveRun } from '../runs/live-run.ts';
import { nextEvent } from '../runs/live-run.ts';
import type { LiveRuns } from '../runs/live-runs.ts';
import type { CancelRecord, FinishRecord } from '../runs/records.ts';
import type { EndedRun, RunEnd } from '../runs/run.ts';
import { endOf, hostFailure, type RunEnding } from './run-endings.ts';
import type { RunLog } from '../run-log/run-log.ts';
import type { StoredRuns } from './stored-runs.ts';

export interface RunFinisherOptions {
  readonly runs: RunLog;
  readonly live: LiveRuns;
  readonly stored: StoredRuns;
  readonly log: Log;
}

/** Commits the ends of runs, each together with its thread, its task and all that the run wrote and reported. */
export class RunFinisher {
  readonly #options: RunFinisherOptions;

  constructor(options: RunFinisherOptions) {
    this.#options = options;
  }

  /** Ends a run that was under way, and answers how; undefined where the attempt was stale. */
  async finish(run: LiveRun, ending: RunEnding): Promise<RunEnd | undefined> {
    const uncommitted = await this.#options.runs.takeUncommitted(run);
    if (run.write_error === undefined) {
      const seq = run.seq;
      try {
        return await this.#commit(run, { uncommitted, ending });
      } catch (error) {
        run.write_error ??= error;
        run.seq = seq;
      }
    }
    const { log } = this.#options;
    log.error('the writes of a run were refused', { run_id: run.row.run_id, error: run.write_error });
    const refused = new Problem('internal', 'Its state could not be stored.');
    return this.#commit(run, { uncommitted: [], ending: hostFailure(refused) });
  }

  /** Ends a run that never began and leaves its thread unchanged. */
  async dismiss(run: LiveRun, dismissed: RunEnd): Promise<void> {
    await this.#decide(run, async () => {
      const end = await this.#undone(run, dismissed);
      const event = nextEvent(run, { kind: 'end', ...end });
      const task = run.task?.fold([event]);
      const record = { ...this.#recordOf(run, end), thread: null, task: task?.row ?? null, events: [event] };
      return { record, ended: { run: run.row, end, task } };
    });
  }

  async #commit(
    run: LiveRun,
    { uncommitted, ending }: { readonly uncommitted: FinishRecord['events']; readonly ending: RunEnding },
  ): Promise<RunEnd | undefined> {
    return this.#decide(run, async () => {
      const { output, ...end } = await this.#undone(run, endOf(ending));
      const so_far = run.task?.fold(uncommitted);
      // Output that a task's artifacts hold already is not stored again.
      const told: RunEnd =
        output === undefined || (so_far?.row.artifacts.length ?? 0) > 0 ? end : { ...end, output };
      const event = nextEvent(run, { kind: 'end', ...told });
      const task = so_far?.fold([event]);
      const success = ending.outcome === 'success' && !isRolledBack(run) ? ending : undefined;
      const brought = success?.values === undefined ? {} : { values: success.values };
      const thread = {
        status: threadStatusOf(told),
        interrupts: told.interrupts,
        error: threadErrorOf(told),
        ...brought,
      };
      const record = {
        ...this.#recordOf(run, told),
        has_checkpoint: run.checkpoint !== 'none' || success !== undefined,
        thread,
        task: task?.row ?? null,
        events: [...uncommitted, event],
      };
      return { record, ended: { run: run.row, end: told, task, ...brought } };
    });
  }

  /**
   * Ends a run that is rolled back as if it had been stopped, however it ended; a question that it answered is asked
   * again.
   */
  async #undone(run: LiveRun, end: RunEnd): Promise<RunEnd> {
    if (!isRolledBack(run)) return end;
    const undone = { status: 'interrupted', reason: run.cancel.reason, interrupts: [] } as const;
    return run.task === undefined
      ? undone
      : { ...undone, interrupts: await this.#options.stored.askedBefore(run.row) };
  }

  /**
   * Commits an end. The run's row decides whether it is rolled back: where that was noted there and is not known here,
   * the statement refuses the end, and a new one is planned.
   */
  async #decide(run: LiveRun, plan: () => Promise<Ending>): Promise<RunEnd | undefined> {
    const { runs, live, stored, log } = this.#options;
    for (;;) {
      const { seq } = run;
      const { record, ended } = await plan();
      if (await runs.writes.finish(record)) {
        run.task = ended.task ?? run.task;
        // From here on the database answers for it.
        live.delete(run);
        runs.publishEnd(ended, record.events);
        return ended.end;
      }
      const noted = await stored.findCancel(run.row);
      if (noted === undefined || (noted?.action === 'rollback') === record.undone) {
        log.warn('the end of a stale attempt was refused', { run_id: run.row.run_id });
        return undefined;
      }
      run.cancel = noted ?? undefined;
      run.seq = seq;
    }
  }

  #recordOf(run: LiveRun, end: RunEnd): Omit<FinishRecord, 'thread' | 'task' | 'events'> {
    const { run_id, attempt, thread_id, assistant_id, graph_id } = run.row;
    const has_checkpoint = run.checkpoint === 'inherited';
    const how = { status: end.status, error: errorOf(end), undone: isRolledBack(run) };
    return { run_id, attempt, thread_id, assistant_id, graph_id, has_checkpoint, ...how };
  }
}

interface Ending {
  readonly record: FinishRecord;
  readonly ended: EndedRun;
}

const isRolledBack = (run: LiveRun): run is LiveRun & { cancel: CancelRecord } =>
  run.cancel?.action === 'rollback';

function errorOf({ error }: RunEnd): FinishRecord['error'] {
  return error === undefined ? null : { name: error.name, message: error.message };
}

/** The thread's error, which also tells why its last run was cancelled. */
function threadErrorOf(end: RunEnd): FinishRecord['error'] {
  return end.status === 'interrupted'
    ? { name: 'UserInterrupt', message: end.reason ?? 'It was cancelled.' }
    : errorOf(end);
}

/** The thread's status; one whose graph was asked to stop at a node waits too. */
function threadStatusOf({ status, interrupts, next = [] }: RunEnd): 'idle' | 'interrupted' | 'error' {
  if (status === 'error' || status === 'timeout') return 'error';
  return interrupts.length > 0 || next.length > 0 ? 'interrupted' : 'idle';
}
