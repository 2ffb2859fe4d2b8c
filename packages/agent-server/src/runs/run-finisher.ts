import type { RunInterrupt } from '@roadstead/contracts/host';
import { type Log, Problem } from '@roadstead/kit';
import type { LiveRun } from './live-run.ts';
import { tell } from './live-run.ts';
import type { FinishRecord, RunRow } from './records.ts';
import type { EndedRun, RunEnd } from './run.ts';
import { endOf, hostFailure, type RunEnding } from './run-endings.ts';
import type { RunLog } from './run-log.ts';

export interface RunFinisherOptions {
  readonly runs: RunLog;
  /** What the thread of a run asked before the run answered. */
  readonly askedBefore: (run: RunRow) => Promise<readonly RunInterrupt[]>;
  /** Told of a committed end before those who wait for it. */
  readonly onEnd: (run: LiveRun) => void;
  readonly log: Log;
}

/** Commits the ends of runs, each with all that its run wrote and told, with its thread and its task. */
export class RunFinisher {
  readonly #options: RunFinisherOptions;

  constructor(options: RunFinisherOptions) {
    this.#options = options;
  }

  /** A run that was under way. Answers how it ended; undefined where the attempt was stale. */
  async finish(run: LiveRun, ending: RunEnding): Promise<RunEnd | undefined> {
    const untold = await this.#options.runs.untold(run);
    if (run.broken === undefined) {
      const seq = run.seq;
      try {
        return await this.#commit(run, { untold, ending });
      } catch (error) {
        run.broken ??= error;
        run.seq = seq;
      }
    }
    const { log } = this.#options;
    log.error('what a run wrote was refused', { run_id: run.row.run_id, error: run.broken });
    const refused = new Problem('internal', 'Its state could not be stored.');
    return this.#commit(run, { untold: [], ending: hostFailure(refused) });
  }

  /** A run that never began: it leaves its thread as it is. */
  async dismiss(run: LiveRun, dismissed: RunEnd): Promise<void> {
    const end = await this.#undone(run, dismissed);
    const event = tell(run, { kind: 'end', ...end });
    const task = run.task?.fold([event]);
    await this.#write(run, {
      record: { ...this.#recordOf(run, end), thread: null, task: task?.row ?? null, events: [event] },
      ended: { run: run.row, end, task },
    });
  }

  async #commit(
    run: LiveRun,
    { untold, ending }: { readonly untold: FinishRecord['events']; readonly ending: RunEnding },
  ): Promise<RunEnd | undefined> {
    const { output, ...end } = await this.#undone(run, endOf(ending));
    const so_far = run.task?.fold(untold);
    // What a task's artifacts hold already is not written once more.
    const told: RunEnd =
      output === undefined || (so_far?.row.artifacts.length ?? 0) > 0 ? end : { ...end, output };
    const event = tell(run, { kind: 'end', ...told });
    const task = so_far?.fold([event]);
    const success = ending.outcome === 'success' ? ending : undefined;
    const record = {
      ...this.#recordOf(run, told),
      has_checkpoint: run.has_checkpoint || run.wrote_checkpoint || success !== undefined,
      thread: {
        status: threadStatusOf(told),
        interrupts: told.interrupts,
        error: threadErrorOf(told),
        ...(success?.values === undefined ? {} : { values: success.values }),
      },
      task: task?.row ?? null,
      events: [...untold, event],
    };
    const ended = {
      run: run.row,
      end: told,
      task,
      ...(success?.values === undefined ? {} : { values: success.values }),
    };
    return (await this.#write(run, { record, ended })) ? told : undefined;
  }

  /** The end of a run that answered a question and is rolled back is that the question is asked again. */
  async #undone(run: LiveRun, end: RunEnd): Promise<RunEnd> {
    if (end.status !== 'interrupted' || run.cancel?.action !== 'rollback' || run.task === undefined)
      return end;
    return { ...end, interrupts: await this.#options.askedBefore(run.row) };
  }

  async #write(
    run: LiveRun,
    { record, ended }: { readonly record: FinishRecord; readonly ended: EndedRun },
  ): Promise<boolean> {
    const { runs, onEnd, log } = this.#options;
    const committed = await runs.writes.finish(record);
    if (!committed) {
      log.warn('the end of a stale attempt was refused', { run_id: run.row.run_id });
      return false;
    }
    run.task = ended.task ?? run.task;
    onEnd(run);
    runs.publishEnd(ended, record.events);
    return true;
  }

  #recordOf({ row, has_checkpoint }: LiveRun, end: RunEnd): Omit<FinishRecord, 'thread' | 'task' | 'events'> {
    const { run_id, attempt, thread_id, assistant_id, graph_id } = row;
    const error = errorOf(end);
    return { run_id, attempt, thread_id, assistant_id, graph_id, status: end.status, error, has_checkpoint };
  }
}

function errorOf({ error }: RunEnd): FinishRecord['error'] {
  return error === undefined ? null : { name: error.name, message: error.message };
}

/** A thread also says why its last run was cancelled. */
function threadErrorOf(end: RunEnd): FinishRecord['error'] {
  return end.status === 'interrupted'
    ? { name: 'UserInterrupt', message: end.reason ?? 'It was cancelled.' }
    : errorOf(end);
}

/** A thread whose graph was told to stop at a node waits, too. */
function threadStatusOf({ status, interrupts, next = [] }: RunEnd): 'idle' | 'interrupted' | 'error' {
  if (status === 'error' || status === 'timeout') return 'error';
  return interrupts.length > 0 || next.length > 0 ? 'interrupted' : 'idle';
}
