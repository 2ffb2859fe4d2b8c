import { createHmac } from 'node:crypto';

/** A message, and the secrets that its receiver may know: more than one during a rotation. */
export interface Signable {
  readonly id: string;
  readonly timestamp_s: number;
  readonly body: string | Uint8Array;
}

/** The headers by which a receiver verifies the sender and recognises a repeat (https://www.standardwebhooks.com). */
export function signWebhook(
  { id, timestamp_s, body }: Signable,
  secrets: readonly string[],
): Readonly<Record<string, string>> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp_s}.`).update(body).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp_s),
    ...(signatures.length === 0 ? {} : { 'webhook-signature': signatures.join(' ') }),
  };
}
