import type { RunInterrupt } from '@roadstead/contracts/host';

/** A question as callers of the LangGraph API see it. Pure. */
type ShownInterrupt = Omit<RunInterrupt, 'task_id' | 'wants'>;

/** The internal fields of a question, as an array of SQL. */
export const INNER_FIELDS = `'{task_id,wants}'::text[]`;

export function shownInterrupt({ task_id: _task, wants: _wants, ...shown }: RunInterrupt): ShownInterrupt {
  return shown;
}
