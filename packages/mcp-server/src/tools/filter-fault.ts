import { ApiError } from '@roadstead/contracts';
import { Problem } from '@roadstead/kit';

/** For a call with a filter, what the API says of one that it can't read: the place, and what was likely meant. */
export function filterFault(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.status !== 400) return error;
  return new Problem('invalid', error.message, {
    code: 'invalid_filter',
    hint: 'Correct the filter there and call again.',
    cause: error,
  });
}
