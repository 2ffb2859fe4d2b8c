import { ApiError } from '@roadstead/contracts';
import { Problem } from '@roadstead/kit';

/**
 * Explains, for a call with a filter, the API's refusal of an unreadable one: the position, and what was likely
 * meant.
 */
export function filterFault(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  const { status, message } = error;
  if (status !== 400 && !(status === 422 && NAMED.test(message))) return error;
  return new Problem('invalid', message.replace(NAMED, '').slice(0, MAX_MESSAGE), {
    code: 'invalid_filter',
    hint: 'Correct the filter there and call again.',
    cause: error,
  });
}

/** The name of the faulty input, in a refusal of several. */
const NAMED = /^(?:query|body)\.(?:\w+_)?filter: /;
const MAX_MESSAGE = 500;
