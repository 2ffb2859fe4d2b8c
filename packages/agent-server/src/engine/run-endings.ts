import type { HostError, RunResult } from '@roadstead/contracts/host';
import { Problem } from '@roadstead/kit';
import { type ErrorRules, showErrorBy } from '../runs/error-rules.ts';
import type { RunEnd } from '../runs/run.ts';

/** Computes how runs end. Pure. */

/** How an attempt ended its run. A drained attempt does not end it. */
export type RunEnding =
  | Extract<RunResult, { outcome: 'success' }>
  | RunFailure
  | { readonly outcome: 'cancelled'; readonly status: 'interrupted' | 'timeout'; readonly reason: string };

export interface RunFailure extends Extract<RunResult, { outcome: 'error' }> {
  /** The sentence for its caller; the error itself may hold addresses and passwords. */
  readonly sentence: string;
}

/**
 * The failure of a run whose graph threw. The caller gets a reference to the error's text, and the text itself only
 * where the operator allows it or where the graph rejects its input and so means it for the caller.
 */
export function graphFailure(
  error: HostError,
  { reference, ...rules }: { readonly reference: string } & ErrorRules,
): RunFailure {
  const { stack: _stack, ...told } = { ...error, message: rules.mask(error.message) };
  if (error.rejected === true) return { outcome: 'error', error: told, sentence: told.message };
  if (error.name === 'GraphRecursionError' && !rules.expose_errors)
    return { outcome: 'error', error: told, sentence: TOO_MANY_STEPS };
  return { outcome: 'error', error: told, sentence: showErrorBy(rules)(error, reference) };
}

/** A sentence of ours, since any exception may bear that name. */
const TOO_MANY_STEPS =
  'The agent failed: it had not come to an end after as many steps as its recursion limit allows.';

/** A failure of the host, in a sentence of ours: it holds nothing from the graph. */
export function hostFailure(error: unknown): RunFailure {
  const message = error instanceof Problem ? error.sentence : 'Its process could not run it.';
  return {
    outcome: 'error',
    error: { name: 'HostError', message },
    sentence: `The agent failed: ${message}`,
  };
}

export function endOf(ending: RunEnding): RunEnd {
  switch (ending.outcome) {
    case 'success':
      return {
        status: 'success',
        interrupts: ending.interrupts,
        ...((ending.next ?? []).length > 0 ? { next: ending.next } : {}),
        output: ending.output,
      };
    case 'error':
      return {
        status: 'error',
        interrupts: [],
        error: {
          name: ending.error.name,
          message: ending.sentence,
          ...(ending.error.rejected === true ? { state: 'rejected' } : {}),
        },
      };
    case 'cancelled':
      return { status: ending.status, interrupts: [], reason: ending.reason };
  }
}
