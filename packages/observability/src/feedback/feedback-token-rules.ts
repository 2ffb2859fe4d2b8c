import type { FeedbackTokenCreate } from '@roadstead/contracts/observability';
import { malformed } from '@roadstead/kit';
import { instantOf } from '../values/instant-rules.ts';
import { isScore } from '../records/feedback-rules.ts';

const MINUTE_MS = 60_000;
const LIFE_MS = 3 * 60 * MINUTE_MS;

/** The expiry as ISO text. @throws Problem `malformed` where it lies in the past or is no instant. */
export function expiryOf(
  { expires_at, expires_in }: Pick<FeedbackTokenCreate, 'expires_at' | 'expires_in'>,
  now_ms: number,
): string {
  if (expires_at !== null && expires_at !== undefined) {
    const instant = instantOf(expires_at);
    if (instant === undefined) throw malformed(['body', 'expires_at'], 'is not an ISO 8601 instant');
    if (Date.parse(instant) <= now_ms) throw malformed(['body', 'expires_at'], 'lies in the past');
    return instant;
  }
  const { days = 0, hours = 0, minutes = 0 } = expires_in ?? {};
  const life_ms = ((days * 24 + hours) * 60 + minutes) * MINUTE_MS;
  return new Date(now_ms + (life_ms === 0 ? LIFE_MS : life_ms)).toISOString();
}

/** A score from the query of an address. @throws Problem `malformed`. */
export function scoreInQuery(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  const score = /^(true|false)$/i.test(text) ? Number(text.toLowerCase() === 'true') : Number(text);
  if (isScore(score)) return score;
  throw malformed(['query', 'score'], 'is neither a number nor `true` or `false`');
}
