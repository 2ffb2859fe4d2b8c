/** Decides which token a request gets, and when one is too old. */

export interface TokenCandidate {
  readonly id: string;
  /** Null where it is an agent’s own. */
  readonly user_id: string | null;
  readonly scopes: readonly string[];
  readonly asked_scopes: readonly string[];
  readonly is_default: boolean;
  readonly broken_at: string | null;
  readonly updated_at: string;
}

/** Scopes that clients of OpenID Connect request, and that providers leave out of the scopes they report. */
const protocolScopes: readonly string[] = [
  'openid',
  'profile',
  'email',
  'address',
  'phone',
  'offline_access',
  'refresh_token',
];

/**
 * Whether a token has the scopes. Some providers answer with longer names than were requested
 * (`https://graph.microsoft.com/User.Read`), and leave out those of OpenID Connect.
 */
export function hasScopes(
  token: Pick<TokenCandidate, 'scopes' | 'asked_scopes'>,
  asked: readonly string[],
): boolean {
  const given = new Set(token.scopes.flatMap((scope) => [scope, lastPart(scope)]));
  return asked.every(
    (scope) => given.has(scope) || (protocolScopes.includes(scope) && token.asked_scopes.includes(scope)),
  );
}

const lastPart = (scope: string) => (/^https?:\/\//.test(scope) ? (scope.split('/').at(-1) ?? scope) : scope);

const union = (...lists: readonly (readonly string[])[]): string[] => [...new Set(lists.flat())];

/** A request for a token, and the tokens that could answer it. */
export interface Question<T extends TokenCandidate> {
  readonly scopes: readonly string[];
  readonly token_id: string | null;
  readonly force_new: boolean;
  /** The tokens that the caller may use: for an agent only those that it is connected to. */
  readonly usable: readonly T[];
  /** Other tokens of the same user, to which the agent is not connected. */
  readonly unconnected: readonly T[];
}

export type Answer<T extends TokenCandidate> =
  | { readonly kind: 'use'; readonly token: T }
  | { readonly kind: 'unknown' }
  | {
      readonly kind: 'ask';
      readonly status: 'pending' | 'connection_required' | 'token_expired';
      readonly scopes: readonly string[];
      /** The token that the flow renews or widens. */
      readonly replaces: T | undefined;
    };

export function answerTo<T extends TokenCandidate>({
  scopes,
  usable,
  unconnected,
  ...asked
}: Question<T>): Answer<T> {
  const ask = (status: (Answer<T> & { kind: 'ask' })['status'], replaces?: T): Answer<T> => ({
    kind: 'ask',
    status,
    scopes: union(scopes, replaces?.asked_scopes ?? [], replaces?.scopes ?? []),
    replaces,
  });
  if (asked.force_new) return ask('pending');
  const isNamed = ({ id }: TokenCandidate) => asked.token_id === null || id === asked.token_id;
  const [named, others] = [[...usable].sort(byPreference).filter(isNamed), unconnected.filter(isNamed)];
  const covering = named.filter((token) => hasScopes(token, scopes));
  const whole = covering.find(({ broken_at }) => broken_at === null);
  if (whole !== undefined) return { kind: 'use', token: whole };
  const [broken] = covering;
  if (broken !== undefined) return ask('token_expired', broken);
  // An agent’s own token is not the user’s to widen.
  const narrow = named.find(({ user_id }) => user_id !== null);
  if (narrow !== undefined) return ask('pending', narrow);
  if (others.length > 0) return ask('connection_required');
  return asked.token_id === null || named.length > 0 ? ask('pending') : { kind: 'unknown' };
}

/** Orders the user’s tokens before the agent’s own, the default first, then the newest. */
function byPreference(one: TokenCandidate, other: TokenCandidate): number {
  return (
    Number(one.user_id === null) - Number(other.user_id === null) ||
    Number(other.is_default) - Number(one.is_default) ||
    Date.parse(other.updated_at) - Date.parse(one.updated_at)
  );
}

const MARGIN_MS = 60_000;

/** A token that would end during its use is refreshed first. */
export const isFresh = (expires_at: string | null, now: number) =>
  expires_at === null || Date.parse(expires_at) - now > MARGIN_MS;

export const isOver = (expires_at: string | null, now: number) =>
  expires_at !== null && Date.parse(expires_at) <= now;
