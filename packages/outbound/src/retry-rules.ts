/** Decides when a message that was not accepted is sent again, and when never. */

/** Together with the delays below: two and a half days. */
const MAX_ATTEMPTS = 10;
const FIRST_S = 5;
const FACTOR = 4;
const LONGEST_S = 86_400;

export type AttemptResult =
  | { readonly kind: 'answered'; readonly status: number; readonly retry_after_s: number | undefined }
  /**
   * No answer: `is_refused` where we may not call the address or cannot take its answer; otherwise the address was
   * not reached.
   */
  | { readonly kind: 'failed'; readonly is_refused: boolean; readonly message: string };

export type Verdict =
  | { readonly state: 'delivered' }
  | { readonly state: 'dead'; readonly error: string }
  | { readonly state: 'waiting'; readonly error: string; readonly after_s: number };

/** @param random from 0 to 1: spreads the retries of messages that failed together. */
export function judgeAttempt(
  attempted: AttemptResult,
  { attempts, random }: { readonly attempts: number; readonly random: number },
): Verdict {
  if (attempted.kind === 'answered' && attempted.status >= 200 && attempted.status < 300)
    return { state: 'delivered' };
  const error = attempted.kind === 'failed' ? attempted.message : `answered ${attempted.status}`;
  // 410 Gone: the receiver no longer wants it.
  const isOver = attempted.kind === 'failed' ? attempted.is_refused : attempted.status === 410;
  if (isOver || attempts >= MAX_ATTEMPTS) return { state: 'dead', error };
  const delay_s = Math.min(LONGEST_S, FIRST_S * FACTOR ** (attempts - 1)) * (0.8 + 0.4 * random);
  const wanted_s = attempted.kind === 'answered' ? (attempted.retry_after_s ?? 0) : 0;
  return { state: 'waiting', error, after_s: Math.max(delay_s, Math.min(wanted_s, LONGEST_S)) };
}

/** Seconds, or a date. */
export function parseRetryAfter(header: string | null, now_ms: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, (at - now_ms) / 1000);
}
