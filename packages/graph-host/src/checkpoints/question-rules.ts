import type { Interrupt, SavedTuple } from '../values/langgraph-types.ts';

/** Which of the questions that tasks asked are open, by what the tasks have written since. Pure. */

type PendingWrites = SavedTuple['pendingWrites'];

const QUESTION = '__interrupt__';
/** The channels in which LangGraph notes how a task fares. Any other is written by a task itself, once it has reached its end. */
const NOTES = new Set([QUESTION, '__resume__', '__error__', '__error_source_node__', '__scheduled__']);

/**
 * LangGraph keeps the question of a task that has been answered beside those that are open, as long as their step waits.
 * A checkpoint that others follow tells what was asked there, once nothing of it is open any more.
 */
export function withoutAnswered(
  writes: PendingWrites,
  { is_newest }: { readonly is_newest: boolean },
): PendingWrites {
  const asked = writes.filter(([, channel]) => channel === QUESTION);
  if (asked.length === 0) return writes;
  const open = new Set(openQuestions(writes));
  return open.size > 0 || is_newest ? writes.filter((one) => one[1] !== QUESTION || open.has(one)) : writes;
}

/** In the order in which their tasks stand. */
export const openInterrupts = ({ pendingWrites }: Pick<SavedTuple, 'pendingWrites'>): Interrupt[] =>
  openQuestions(pendingWrites).flatMap(([, , value]) =>
    Array.isArray(value) ? (value as Interrupt[]) : [value as Interrupt],
  );

function openQuestions(writes: PendingWrites): PendingWrites {
  const gone = new Set(writes.filter(([, channel]) => !NOTES.has(channel)).map(([task_id]) => task_id));
  return writes.filter(([task_id, channel]) => channel === QUESTION && !gone.has(task_id));
}
