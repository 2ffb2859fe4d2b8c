import { Problem, type ProblemKind } from '@roadstead/kit';

/** The refusals of this server's access rules. */

const kinds: Readonly<Record<number, ProblemKind>> = {
  400: 'invalid',
  401: 'unauthenticated',
  404: 'not_found',
  409: 'conflict',
  412: 'precondition_failed',
  422: 'malformed',
  429: 'limit',
  503: 'unavailable',
};
/** Headers that describe how a body is sent, or that agents may not set. */
const OURS = /^(content-|transfer-|connection$|keep-alive$|set-cookie$|access-control-|x-roadstead-)/i;

/** A caller must still see what it makes or changes: it can hand it to no one else. */
export const losesHold = () =>
  new Problem('forbidden', 'With this metadata the deployment’s own auth would not show it to you.');

/** Translates a refusal by the deployment's own `auth`. */
export function problemOfRefusal({
  status,
  message,
  headers = {},
}: {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}): Problem {
  const kind = kinds[status] ?? (status < 500 ? 'forbidden' : 'internal');
  const kept = Object.entries(headers).filter(([name]) => !OURS.test(name));
  const wait = Number(headers['retry-after']);
  return new Problem(kind, message, {
    headers: Object.fromEntries(kept),
    ...(Number.isFinite(wait) && wait >= 0 ? { retry_after_s: wait } : {}),
  });
}
