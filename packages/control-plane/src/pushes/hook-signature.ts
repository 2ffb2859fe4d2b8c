import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IntegrationKind } from '@roadstead/contracts/control-plane';

/**
 * Verifies that a webhook is a host's own, by the rules of each host. Every comparison takes the same time, whatever
 * the result.
 */

export interface SignedDelivery {
  readonly headers: Headers;
  readonly body: Buffer;
  readonly now_s: number;
}

const TOLERANCE_S = 300;

const verifiers: Readonly<Record<IntegrationKind, (delivery: SignedDelivery, secret: string) => boolean>> = {
  github: ({ headers, body }, secret) =>
    isEqual(headers.get('x-hub-signature-256'), `sha256=${hexOf(body, secret)}`),
  gitea: ({ headers, body }, secret) =>
    isEqual(headers.get('x-gitea-signature') ?? headers.get('x-forgejo-signature'), hexOf(body, secret)),
  // Signed with a signing token as in Standard Webhooks, else with a secret token that it sends as it is.
  gitlab: (delivery, secret) =>
    delivery.headers.has('webhook-signature')
      ? isStandard(delivery, secret)
      : isEqual(delivery.headers.get('x-gitlab-token'), secret),
  generic: isStandard,
};

export function isSigned(
  kind: IntegrationKind,
  delivery: SignedDelivery,
  { secret }: { secret: string },
): boolean {
  return verifiers[kind](delivery, secret);
}

const hexOf = (body: Buffer, secret: string) => createHmac('sha256', secret).update(body).digest('hex');

/** Standard Webhooks: one of several signatures, made not long ago. */
function isStandard({ headers, body, now_s }: SignedDelivery, secret: string): boolean {
  const id = headers.get('webhook-id') ?? '';
  const timestamp = headers.get('webhook-timestamp') ?? '';
  const sent = (headers.get('webhook-signature') ?? '').split(' ').slice(0, 10);
  const isRecent = /^\d{1,12}$/.test(timestamp) && Math.abs(now_s - Number(timestamp)) <= TOLERANCE_S;
  const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);
  // The key is the decoded base64; some senders use the text itself.
  const expected = [Buffer.from(secret.replace(/^whsec_/, ''), 'base64'), Buffer.from(secret)].map(
    (key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`,
  );
  const matches = sent.flatMap((one) => expected.map((wanted) => isEqual(one, wanted)));
  return isRecent && id !== '' && matches.includes(true);
}

function isEqual(sent: string | null, expected: string): boolean {
  const [a, b] = [sent ?? '', expected].map((text) => createHash('sha256').update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}

/**
 * The sender's name for a delivery, except for hosts whose signature does not cover it: anybody could send a copy by
 * another name.
 */
const namers: Readonly<Record<IntegrationKind, (headers: Headers) => string | null>> = {
  github: () => null,
  gitea: () => null,
  gitlab: (headers) => headers.get(headers.has('webhook-signature') ? 'webhook-id' : 'x-gitlab-event-uuid'),
  generic: (headers) => headers.get('webhook-id'),
};

/** A digest that is the same for a delivery that is sent again. */
export function digestOf(
  kind: IntegrationKind,
  { headers, body }: Pick<SignedDelivery, 'headers' | 'body'>,
): Buffer {
  return createHash('sha256')
    .update(`${namers[kind](headers) ?? ''}\n`)
    .update(body)
    .digest();
}
