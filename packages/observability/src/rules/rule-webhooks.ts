import { randomBytes } from 'node:crypto';
import { Problem, type SecretBox } from '@roadstead/kit';

/** The webhooks of rules and alerts: their headers and signing secrets are sealed, and answered as a mask. */

export const MASK = '********';

export interface SentWebhook {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | null | undefined;
  readonly secret?: string | null | undefined;
}

/** A webhook as it is stored in SQL. */
export interface SealedWebhook {
  readonly url: string;
  readonly header_names: readonly string[];
  /** `OpenWebhook`, as JSON. */
  readonly sealed: string;
}

export interface OpenWebhook {
  readonly headers: Readonly<Record<string, string>>;
  readonly secret: string;
}

/** The purpose to which a seal is bound. */
export interface SealedFor {
  readonly box: SecretBox;
  /** The name of what has the webhook. */
  readonly row: string;
}

export const ruleRowOf = ({
  workspace_id,
  rule_id,
}: {
  readonly workspace_id: string;
  readonly rule_id: string;
}) => `rule/${workspace_id}/${rule_id}/webhook`;

export function openWebhook(webhook: SealedWebhook, to: SealedFor): OpenWebhook {
  return JSON.parse(to.box.open(webhook.sealed, to.row)) as OpenWebhook;
}

/** A stored webhook, and its secret where it was made just now. */
export interface KeptWebhook {
  readonly sealed: SealedWebhook;
  readonly new_secret: string | undefined;
}

/**
 * Seals the webhooks that were sent; a mask keeps the value of the present webhook with the same address.
 * @throws Problem `invalid` for an address or a header that cannot be used in a call, or for a mask without a stored
 * value.
 */
export function keepWebhooks(
  sent: readonly SentWebhook[],
  { present, ...to }: SealedFor & { readonly present: readonly SealedWebhook[] },
): KeptWebhook[] {
  if (new Set(sent.map(({ url }) => url)).size < sent.length)
    throw new Problem('invalid', '"webhooks" names an address twice.');
  return sent.map((one) => {
    checkAddress(one.url);
    const found = present.find(({ url }) => url === one.url);
    const before = found === undefined ? undefined : openWebhook(found, to);
    const headers = keepHeaders(one.headers ?? {}, before?.headers ?? {});
    const given = one.secret === MASK ? undefined : (one.secret ?? undefined);
    if (given !== undefined) checkSecret(given);
    const secret = given ?? before?.secret ?? `whsec_${randomBytes(24).toString('base64')}`;
    const open: OpenWebhook = { headers, secret };
    return {
      sealed: {
        url: one.url,
        header_names: Object.keys(headers),
        sealed: to.box.seal(JSON.stringify(open), to.row),
      },
      new_secret: given === undefined && before === undefined ? secret : undefined,
    };
  });
}

export function webhookAnswer({ url, header_names }: SealedWebhook, new_secret?: string) {
  return {
    url,
    headers: Object.fromEntries(header_names.map((name) => [name, MASK])),
    secret: new_secret ?? MASK,
  };
}

function keepHeaders(
  sent: Readonly<Record<string, string>>,
  before: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(sent).map(([name, value]) => {
      const kept = value === MASK ? before[name] : value;
      if (kept === undefined)
        throw new Problem('invalid', '"webhooks" masks a header that this address does not have.');
      checkHeader(name, kept);
      return [name, kept];
    }),
  );
}

/** Headers that belong to us or to the connection. */
const reserved =
  /^(host|connection|content-|transfer-encoding|te|trailer|upgrade|keep-alive|webhook-|proxy-)/i;

function checkHeader(name: string, value: string): void {
  try {
    new Headers().set(name, value);
  } catch {
    throw new Problem('invalid', '"webhooks" has a header whose name or value HTTP does not take.');
  }
  if (reserved.test(name)) throw new Problem('invalid', '"webhooks" has a header that is set by the sender.');
}

function checkAddress(url: string): void {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !['http:', 'https:'].includes(parsed.protocol))
    throw new Problem('invalid', '"webhooks" has an address that is not one of http or https.');
  if (parsed.username !== '' || parsed.password !== '')
    throw new Problem('invalid', '"webhooks" has an address with a user name or a password; use "headers".');
}

function checkSecret(secret: string): void {
  const bytes = Buffer.from(secret.replace(/^whsec_/, ''), 'base64').length;
  if (!secret.startsWith('whsec_') || bytes < 24 || bytes > 64)
    throw new Problem(
      'invalid',
      '"webhooks" has a secret that is not "whsec_" and 24 to 64 bytes in base64.',
    );
}
