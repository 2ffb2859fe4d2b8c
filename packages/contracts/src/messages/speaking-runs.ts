import { messagesIn } from './message-rules.ts';

/** Whether a run was given or gave messages; lists without any are none. */
export function hasMessages(run: { readonly inputs?: unknown; readonly outputs?: unknown }): boolean {
  return (['inputs', 'outputs'] as const).some((side) => {
    for (const _message of messagesIn(run[side], side) ?? []) return true;
    return false;
  });
}

/** Of the runs below a turn that holds no messages, those that began first are looked at: so many, as a page holds beside it. */
export const RUNS_BELOW = 99;
/** For one answer so many such turns are read; it ends with the next. */
export const MAX_SILENT_TURNS = 100;

/** Each run before those below it. */
export const inOrder = <Run extends { readonly dotted_order?: string | undefined }>(
  runs: readonly Run[],
): Run[] => runs.toSorted((one, other) => ((one.dotted_order ?? '') < (other.dotted_order ?? '') ? -1 : 1));

/**
 * Where a root holds no messages, as a web request's span, the first runs below it that do stand for it: of each line the
 * topmost, since what is below repeats it. Asked in the order of the runs.
 */
export class SpeakingRuns {
  #last: string | undefined;

  /** Whether the run stands below one that was taken. */
  isRepeated(dotted_order: string): boolean {
    return this.#last !== undefined && dotted_order.startsWith(`${this.#last}.`);
  }

  take(dotted_order: string): void {
    this.#last = dotted_order;
  }
}
