import { messagesIn } from './message-rules.ts';

/** Whether a run's inputs or outputs hold messages; empty lists do not count. */
export function hasMessages(run: { readonly inputs?: unknown; readonly outputs?: unknown }): boolean {
  return (['inputs', 'outputs'] as const).some((side) => {
    for (const _message of messagesIn(run[side], side) ?? []) return true;
    return false;
  });
}

/** How many runs are read below a turn without messages, those that began first: as many as a page holds beside it. */
export const RUNS_BELOW = 99;
/** How many such turns are read for one answer, which ends with the next. */
export const MAX_SILENT_TURNS = 100;

/** Sorts each run before those below it. */
export const inOrder = <Run extends { readonly dotted_order?: string | undefined }>(
  runs: readonly Run[],
): Run[] => runs.toSorted((one, other) => ((one.dotted_order ?? '') < (other.dotted_order ?? '') ? -1 : 1));

/**
 * Finds the runs that speak for a root without messages, such as the span of a web request: the first runs below it
 * that have some, on each line the topmost, since those below repeat it. Asked in the order of the runs.
 */
export class SpeakingRuns {
  #last: string | undefined;

  /** Whether the run is below one that was taken. */
  isRepeated(dotted_order: string): boolean {
    return this.#last !== undefined && dotted_order.startsWith(`${this.#last}.`);
  }

  take(dotted_order: string): void {
    this.#last = dotted_order;
  }
}
