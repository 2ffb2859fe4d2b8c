import { ApiError } from '@roadstead/contracts';
import { Problem } from '@roadstead/kit';

/** For a call with a filter, what the API says of one that it can't read: the place, and what was likely meant. */
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

/** Where a refusal of several inputs has the one that is in fault. */
const NAMED = /^(?:query|body)\.(?:\w+_)?filter: /;
const MAX_MESSAGE = 500;
