import type { AuthUser, AuthenticateAnswer, AuthorizeAnswer } from '@roadstead/contracts/host';

/** What the handlers of an `Auth` return and throw, read as the LangGraph API does. */

type Refusal = Extract<AuthenticateAnswer, { readonly refused: unknown }>['refused'];

/** Whether the answer of `authenticate` names nobody. */
export function isNobody(said: unknown): boolean {
  if (said === undefined || said === null || said === false || said === '') return true;
  return (said as { is_authenticated?: unknown }).is_authenticated === false;
}

/** Whom the answer of `authenticate` names. Throws where it is neither a text nor an object with an identity. */
export function userOf(said: unknown): AuthUser {
  const fields = typeof said === 'string' ? { identity: said } : Object(said);
  const { identity, permissions, display_name } = fields as Record<string, unknown>;
  if (typeof identity !== 'string' || identity === '')
    throw new Error('authenticate must return a text, or an object whose `identity` is a text.');
  return {
    ...(fields as object),
    identity,
    permissions: Array.isArray(permissions) ? permissions.filter((one) => typeof one === 'string') : [],
    is_authenticated: true,
    display_name: typeof display_name === 'string' ? display_name : identity,
  };
}

/** Reads what a handler's answer decides about a request. Throws where it decides nothing. */
export function authorizedOf(result: unknown, value: unknown): AuthorizeAnswer {
  if (result === undefined || result === null || result === true)
    return { allowed: true, filters: null, value };
  if (result === false) return { allowed: false, status: 403, message: 'Forbidden' };
  if (typeof result !== 'object' || Array.isArray(result))
    throw new Error('A handler must return true, false, nothing or an object of filters.');
  for (const [field, filter] of Object.entries(result)) requireFilter(field, filter);
  return { allowed: true, filters: result as Readonly<Record<string, unknown>>, value };
}

/** A filter that can't be applied must not let anything through. */
function requireFilter(field: string, filter: unknown): void {
  if (isScalar(filter)) return;
  const [[operator, operand] = [], ...others] = Object.entries(filter ?? {});
  const isKnown =
    (operator === '$eq' && isScalar(operand)) ||
    (operator === '$contains' && (isScalar(operand) || (Array.isArray(operand) && operand.every(isScalar))));
  if (!isKnown || others.length > 0)
    throw new Error(`The filter of "${field}" must be a text, a number, a boolean, {$eq} or {$contains}.`);
}

const isScalar = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);

/** An HTTPException of the SDK, by its shape: whichever copy made it. */
export function refusalOf(thrown: unknown): Refusal | undefined {
  if (typeof thrown !== 'object' || thrown === null) return undefined;
  const { status, message, headers } = thrown as Record<string, unknown>;
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 400 || status > 599)
    return undefined;
  if (!('headers' in thrown)) return undefined;
  return {
    status,
    message: typeof message === 'string' && message !== '' ? message : 'Not allowed',
    headers: Object.fromEntries(headersOf(headers)),
  };
}

function headersOf(headers: unknown): [string, string][] {
  try {
    return [...new Headers(headers ?? {})];
  } catch {
    return [];
  }
}
