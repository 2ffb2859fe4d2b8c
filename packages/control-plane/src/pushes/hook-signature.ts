import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IntegrationKind } from '@roadstead/contracts/control-plane';

/** How each host proves that a webhook is its own. Every comparison takes the same time, whatever it finds. */

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
  // With a signing token as Standard Webhooks has it, else with a secret token that it just sends.
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

/** Standard Webhooks: one of several signatures, of a moment that is not long ago. */
function isStandard({ headers, body, now_s }: SignedDelivery, secret: string): boolean {
  const id = headers.get('webhook-id') ?? '';
  const timestamp = headers.get('webhook-timestamp') ?? '';
  const sent = (headers.get('webhook-signature') ?? '').split(' ').slice(0, 10);
  const isRecent = /^\d{1,12}$/.test(timestamp) && Math.abs(now_s - Number(timestamp)) <= TOLERANCE_S;
  const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);
  // The key is what stands in base64; some senders take the text as it is.
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

/** What the sender calls a delivery, but for hosts whose signature leaves that out: anybody could send a copy by another name. */
const namers: Readonly<Record<IntegrationKind, (headers: Headers) => string | null>> = {
  github: () => null,
  gitea: () => null,
  gitlab: (headers) => headers.get(headers.has('webhook-signature') ? 'webhook-id' : 'x-gitlab-event-uuid'),
  generic: (headers) => headers.get('webhook-id'),
};

/** The same for a delivery that is sent again. */
export function digestOf(
  kind: IntegrationKind,
  { headers, body }: Pick<SignedDelivery, 'headers' | 'body'>,
): Buffer {
  return createHash('sha256')
    .update(`${namers[kind](headers) ?? ''}\n`)
    .update(body)
    .digest();
}
