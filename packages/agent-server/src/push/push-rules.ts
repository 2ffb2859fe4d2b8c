import { Problem } from '@roadstead/kit';
import type { TaskEvent } from '../tasks/task.ts';
import type { PushSecrets, PushConfigRequest } from './push-config.ts';

/** The headers and payloads of push notifications. Pure. */

/** Whether the scheme asks for a signature (https://www.standardwebhooks.com) instead of the credentials. */
const isHmac = (scheme: string | undefined) => scheme?.toUpperCase().startsWith('HMAC') === true;
const SECRET = /^whsec_[A-Za-z0-9+/]{16,}={0,2}$/;
const MAX_URL_LENGTH = 8192;

/** @throws Problem `invalid` where no notification could be sent so */
export function validateRequest({ url, token, scheme, credentials }: PushConfigRequest): void {
  const address = url.length > MAX_URL_LENGTH ? null : URL.parse(url);
  if (address === null || !['http:', 'https:'].includes(address.protocol))
    throw new Problem('invalid', 'url: must be an address that begins with https:// or http://.');
  if (address.username !== '' || address.password !== '')
    throw new Problem('invalid', 'url: must not hold a user name or a password.');
  if (isHmac(scheme) && !SECRET.test(credentials ?? ''))
    throw new Problem('invalid', 'authentication.credentials: must be whsec_ and the secret in base64.');
  if (scheme !== undefined && !/^[A-Za-z0-9._-]{1,64}$/.test(scheme))
    throw new Problem('invalid', 'authentication: the scheme must be a name such as Bearer.');
  for (const [field, value] of Object.entries({ token, 'authentication.credentials': credentials }))
    if (value !== undefined && !/^[\x21-\x7e]([\x20-\x7e]{0,8190}[\x21-\x7e])?$/.test(value))
      throw new Problem('invalid', `${field}: must be printable ASCII, as a header can carry.`);
}

export interface PushHeaders {
  readonly headers: Readonly<Record<string, string>>;
  /** The secrets that sign them. */
  readonly secrets: readonly string[];
}

export function headersOf(
  { token, credentials }: PushSecrets,
  { scheme, traceparent }: { readonly scheme: string | undefined; readonly traceparent: string | null },
): PushHeaders {
  const hmac = isHmac(scheme);
  return {
    headers: {
      ...(traceparent === null ? {} : { traceparent }),
      ...(token === undefined ? {} : { 'x-a2a-notification-token': token }),
      ...(credentials === undefined || scheme === undefined || hmac
        ? {}
        : { authorization: `${scheme} ${credentials}` }),
    },
    secrets: hmac && credentials !== undefined ? [credentials] : [],
  };
}

/**
 * Joins waiting pieces of one text, so that a slow receiver gets fewer notifications; undefined where they are not of
 * one text.
 */
export function joinPieces(last: TaskEvent, event: TaskEvent): TaskEvent | undefined {
  if (last.kind !== 'artifact' || event.kind !== 'artifact' || !event.append) return undefined;
  if (last.artifact.artifact_id !== event.artifact.artifact_id) return undefined;
  const [before, after] = [textOf(last), textOf(event)];
  if (before === undefined || after === undefined) return undefined;
  const parts = [{ kind: 'text' as const, text: before + after }];
  return { ...event, append: last.append, artifact: { ...last.artifact, ...event.artifact, parts } };
}

/** The text of an artifact; undefined where it holds more than text. */
function textOf({ artifact }: Extract<TaskEvent, { kind: 'artifact' }>): string | undefined {
  const texts = artifact.parts.map((part) =>
    part.kind === 'text' && !part.metadata ? part.text : undefined,
  );
  return texts.includes(undefined) ? undefined : texts.join('');
}

/** The keys whose time has come, and when the next one's does. */
export function dueBy(times: ReadonlyMap<string, number>, now_ms: number) {
  const due: string[] = [];
  let next_ms: number | undefined;
  for (const [key, at] of times)
    if (at <= now_ms) due.push(key);
    else if (next_ms === undefined || at < next_ms) next_ms = at;
  return { due, has_more: false, next_ms };
}
