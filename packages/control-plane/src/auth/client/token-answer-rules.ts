import type { ProviderType } from './provider-rules.ts';

/** Brings the answers of providers’ token addresses into the form of RFC 6749. */

type Body = Readonly<Record<string, unknown>>;

export interface PlainAnswer {
  /** 200, or 400 for an error; some providers send errors with 200. */
  readonly status: number;
  readonly body: Body;
  /** The name of the account, where the answer holds one. */
  readonly account_label: string | null;
  /** Further facts that the user of the token needs. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** Salesforce doesn’t say when a token ends; this is the shortest lifetime that it can have. */
const SALESFORCE_S = 900;

export function plainAnswer(type: ProviderType | null, answer: { status: number; body: Body }): PlainAnswer {
  const { body } = answer;
  const said = { account_label: labelOf(body), metadata: metadataOf(type, body) };
  if (typeof body['access_token'] !== 'string' && typeof userPart(type, body)['access_token'] !== 'string')
    return { ...said, status: answer.status === 200 ? 400 : answer.status, body: errorOf(body) };
  return { ...said, status: answer.status, body: tokenOf(type, { ...body, ...userPart(type, body) }) };
}

/** Leaves out the token of OpenID Connect: nobody signs in by it here. */
function tokenOf(type: ProviderType | null, body: Body): Body {
  const { id_token: _, scope, token_type, expires_in, ...rest } = withoutNull(body);
  const scopes = scopesIn(scope);
  const ends = expires_in ?? (type === 'salesforce' ? SALESFORCE_S : undefined);
  return {
    ...rest,
    // Slack’s types are kinds of its own tokens, all of which are bearer tokens.
    token_type: type === 'slack' || typeof token_type !== 'string' ? 'bearer' : token_type,
    ...(scopes === undefined ? {} : { scope: scopes.join(' ') }),
    ...(ends === undefined ? {} : { expires_in: Number(ends) }),
  };
}

/** Scopes are separated by spaces, as in the standard, or by commas, as at GitHub and Slack; Twitch sends a list. */
export function scopesIn(scope: unknown): string[] | undefined {
  if (Array.isArray(scope)) return scope.filter((one): one is string => typeof one === 'string');
  if (typeof scope !== 'string') return undefined;
  return scope.split(/[\s,]+/).filter((one) => one !== '');
}

function errorOf(body: Body): Body {
  return { error: typeof body['error'] === 'string' ? body['error'] : 'unknown_error' };
}

/** Slack sends a user’s own token apart from that of the app. */
function userPart(type: ProviderType | null, body: Body): Body {
  const user = body['authed_user'];
  return type === 'slack' && isObject(user) && typeof user['access_token'] === 'string' ? user : {};
}

/** The user that the id token names. It came from the provider itself, and is for display only. */
function labelOf(body: Body): string | null {
  const [, claims] = typeof body['id_token'] === 'string' ? body['id_token'].split('.') : [];
  const said = claims === undefined ? undefined : parsed(Buffer.from(claims, 'base64url').toString());
  const team = body['team'];
  const label =
    said?.['email'] ??
    said?.['preferred_username'] ??
    said?.['name'] ??
    (isObject(team) ? team['name'] : undefined);
  return typeof label === 'string' && label !== '' ? storable(label).slice(0, 200) : null;
}

function metadataOf(type: ProviderType | null, body: Body): Record<string, string> {
  const [team, user] = [body['team'], body['authed_user']];
  const found: Readonly<Record<string, unknown>> =
    type === 'salesforce'
      ? { instance_url: body['instance_url'], id: body['id'] }
      : type === 'slack'
        ? {
            team_id: isObject(team) ? team['id'] : undefined,
            team_name: isObject(team) ? team['name'] : undefined,
            slack_user_id: isObject(user) ? user['id'] : undefined,
          }
        : {};
  return Object.fromEntries(
    Object.entries(found).flatMap(([key, value]) =>
      typeof value === 'string' ? [[key, storable(value).slice(0, 2000)]] : [],
    ),
  );
}

const storable = (text: string) => text.toWellFormed().replaceAll('\0', '');
const isObject = (value: unknown): value is Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const withoutNull = (body: Body): Body =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));

/** The JSON object in a text; undefined for anything else. */
export function parsed(text: string): Body | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
