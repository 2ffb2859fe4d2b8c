import { lineSafeBytes } from '@roadstead/json';
import { joined, classifyError, lineSafe } from '@roadstead/kit';
import type { GuardedFetch } from './guarded-fetch.ts';
import { type AttemptResult, parseRetryAfter } from './retry-rules.ts';
import { signWebhook } from './webhook-signature.ts';

/** A message on its way to an address that a user gave. */
export interface Call {
  readonly url: string;
  /** The `webhook-id`, by which a receiver recognises a repeat. */
  readonly id: string;
  /** JSON. */
  readonly body: string | Uint8Array<ArrayBuffer>;
  /** `whsec_…`; without a secret the message is not signed. */
  readonly secrets: readonly string[];
  readonly content_type?: string | undefined;
  /** Additional headers; type and signature take precedence. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Sends a message once. Throws only where the signal is aborted. */
export async function attemptCall(
  fetch: GuardedFetch,
  { url, id, secrets, headers = {}, content_type = 'application/json', ...said }: Call,
  signal: AbortSignal,
): Promise<AttemptResult> {
  try {
    const body = await lineSafeBody(said.body);
    const timestamp_s = Math.floor(Date.now() / 1000);
    const sent = new Headers(headers);
    const ours = { 'content-type': content_type, ...signWebhook({ id, timestamp_s, body }, secrets) };
    for (const [name, value] of Object.entries(ours)) sent.set(name, value);
    const request = new Request(url, { method: 'POST', headers: sent, body, redirect: 'error', signal });
    const answer = await fetch(request);
    const retry_after_s = parseRetryAfter(answer.headers.get('retry-after'), Date.now());
    return { kind: 'answered', status: answer.status, retry_after_s };
  } catch (error) {
    signal.throwIfAborted();
    return {
      kind: 'failed',
      is_refused: classifyError(error) === 'refusal',
      message: (error as Error).message,
    };
  }
}

const lineSafeBody = async (body: Call['body']) =>
  typeof body === 'string' ? lineSafe(body) : joined(await lineSafeBytes([body]));
