import type { EngineCalls } from '@roadstead/contracts/host';
import type { ThreadWatch } from './thread-watches.ts';
import type { EndedRun, NewRun, Reader, Run, RunEvent } from './run.ts';

/** The engine's runs, as its faces use them. All answers and events are committed. */
export interface Runs {
  /**
   * Creates a run, and its thread where requested, in one commit. A run on a busy thread waits for it (`enqueue`), is
   * refused (`reject`), or ends the runs before it (`interrupt`, and `rollback`, which also removes them and what they
   * wrote).
   * @throws Problem `unavailable` when nothing serves or too much is unfinished, `invalid` when the thread is busy and
   * the strategy is `reject`
   */
  create(run: NewRun): Promise<Run>;
  find(run_id: string): Promise<Run | undefined>;
  /** Committed events after a sequence, in order; ends with the one of kind `end`, or when the signal is aborted. */
  events(run_id: string, options: Reader & { readonly after_seq: number }): AsyncIterable<RunEvent>;
  /** Waits for the end of a run. */
  ended(run_id: string, signal: AbortSignal): Promise<EndedRun>;
  /** Ends an unfinished run; false where it had ended. Durable once answered; the end itself comes with `ended`. */
  cancel(run_id: string, options: CancelOptions): Promise<boolean>;
  /** Whether a thread has a run that has not ended. */
  isBusy(thread_id: string): boolean;
  /**
   * Changes a thread while no run is on it: runs that are created meanwhile wait until it is done.
   * @throws Problem `conflict` while a run of the thread has not ended
   */
  whileIdle<T>(thread_id: string, work: () => Promise<T>): Promise<T>;
  /**
   * Watches a thread until the signal is aborted or the engine is over: its runs begin or end, or its state changes.
   */
  watch(thread_id: string, signal: AbortSignal): ThreadWatch;
  /** The runs of a thread that have not ended, the first of which is under way. */
  unfinished(thread_id: string): readonly string[];
  /** Asks a graph host of the active revision; one is started where none runs. */
  ask<M extends keyof EngineCalls>(
    method: M,
    params: EngineCalls[M]['params'],
  ): Promise<EngineCalls[M]['result']>;
  /** Aborted when streams and waiting clients end. */
  readonly over: AbortSignal;
  /** Calls the listener with each end, once it is committed. */
  onEnded(listener: (ended: EndedRun) => void): Disposable;
}

export interface CancelOptions {
  /** `rollback` also removes the run and what it wrote. */
  readonly action: 'interrupt' | 'rollback';
  /** A sentence for the run's end. */
  readonly reason: string;
}
