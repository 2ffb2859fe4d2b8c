import type { WebhookSettings } from '@roadstead/contracts/langgraph-json';
import { malformed, Problem } from '@roadstead/kit';

/** Applies the webhook settings of a deployment's `langgraph.json`. Pure. */

/** The settings of a deployment; null or undefined where it names none. */
type Settings = WebhookSettings | null | undefined;
type Environment = Readonly<Record<string, string>>;

const MAX_URL_LENGTH = 65_536;
const refusal = (sentence: string) => malformed(['body', 'webhook'], sentence);

/**
 * Checks a webhook by the settings alone; a path belongs to the deployment's own `http.app`.
 * @throws Problem `malformed` where no run may name it
 */
export function checkWebhook(url: string, settings: Settings): void {
  const rules = settings?.url;
  const longest = rules?.max_url_length ?? MAX_URL_LENGTH;
  if (url.length > longest) throw refusal(`must not be longer than ${longest} characters`);
  if (isLoopback(url)) {
    if (rules?.disable_loopback === true)
      throw refusal('must not be a path: this deployment does not allow it');
    return;
  }
  const { protocol, hostname, port, username, password } = addressOf(url);
  if (username !== '' || password !== '') throw refusal('must not hold a user name or a password');
  if (rules?.require_https === true && protocol !== 'https:') throw refusal('must begin with https://');
  const number = port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
  if ((rules?.allowed_ports ?? [number]).every((one) => one !== number))
    throw refusal('has a port that this deployment does not allow');
  if (!(rules?.allowed_domains ?? [hostname]).some((domain) => isWithin(hostname, domain)))
    throw refusal('has a host that this deployment does not allow');
}

export interface WebhookJudging {
  /** The revision that serves; undefined before there is one. */
  readonly serving: () => { readonly settings: Settings; readonly disabled: boolean } | undefined;
  /** @throws Problem where an address as it is written may not be called */
  readonly checkAddress: (url: string) => void;
}

/**
 * Checks a webhook that a client names as far as possible before it is called.
 * @throws Problem `malformed`
 */
export function webhookCheck({ serving, checkAddress }: WebhookJudging): (url: string) => void {
  return (url) => {
    const { settings, disabled = false } = serving() ?? {};
    if (disabled) throw refusal('must not be given: http.disable_webhooks switches webhooks off');
    checkWebhook(url, settings);
    if (isLoopback(url)) return;
    try {
      checkAddress(url);
    } catch (error) {
      throw error instanceof Problem ? refusal(`must not be called: ${error.sentence}`) : error;
    }
  };
}

export const isLoopback = (url: string) => /^\/(?![/\\])/.test(url);

function addressOf(url: string): URL {
  const address = URL.parse(url);
  if (address === null || !['http:', 'https:'].includes(address.protocol))
    throw refusal('must be an address that begins with https:// or http://, or a path of this deployment');
  return address;
}

function isWithin(hostname: string, domain: string): boolean {
  const wanted = domain.toLowerCase();
  return wanted.startsWith('*.') ? hostname.endsWith(wanted.slice(1)) : hostname === wanted;
}

export interface WebhookSecrets {
  readonly headers: Readonly<Record<string, string>>;
  /** The secrets that sign the calls, `whsec_…`. */
  readonly secrets: readonly string[];
}

const TEMPLATE = /\$\{\{\s*env\.([^\s}]*)\s*\}\}/g;
/** The name behind the prefix of the variable that holds the signing secrets. */
const SIGNING = 'SIGNING_SECRET';

/**
 * The headers and secrets of calls, with the values of the deployment's variables.
 * @throws Problem `invalid` that names the variable which is missing or must not be sent
 */
export function webhookSecrets(settings: Settings, environment: Environment): WebhookSecrets {
  const prefix = settings?.env_prefix ?? 'LG_WEBHOOK_';
  const headers = Object.entries(settings?.headers ?? {}).map(([name, template]) => {
    const value = template.replaceAll(TEMPLATE, (_all, variable: string) =>
      variableOf(variable, { header: name, prefix, environment }),
    );
    return [name.toLowerCase(), checkedHeader(name, value)] as const;
  });
  return {
    headers: Object.fromEntries(headers),
    secrets: signingSecrets(`${prefix}${SIGNING}`, environment),
  };
}

interface Lookup {
  readonly header: string;
  readonly prefix: string;
  readonly environment: Environment;
}

function variableOf(variable: string, { header, prefix, environment }: Lookup): string {
  const at = `webhooks.headers.${header}`;
  if (!variable.startsWith(prefix))
    throw new Problem(
      'invalid',
      `${at} names the variable ${variable}; only those that begin with ${prefix} are sent.`,
    );
  const value = Object.hasOwn(environment, variable) ? environment[variable] : undefined;
  if (value === undefined)
    throw new Problem(
      'invalid',
      `${at} names the variable ${variable}, which the deployment does not have.`,
      {
        hint: 'Set it as a secret of the deployment.',
      },
    );
  return value;
}

function checkedHeader(name: string, value: string): string {
  try {
    return new Headers({ [name]: value }).get(name) ?? '';
  } catch {
    throw new Problem('invalid', `webhooks.headers.${name} makes no header that HTTP can carry.`);
  }
}

/** Reads the signing secrets: several during a change, separated by spaces or commas. */
function signingSecrets(variable: string, environment: Environment): string[] {
  const secrets = (environment[variable] ?? '').split(/[\s,]+/).filter((one) => one !== '');
  if (!secrets.every((one) => /^whsec_[A-Za-z0-9+/]{16,}={0,2}$/.test(one)))
    throw new Problem(
      'invalid',
      `${variable} must hold secrets such as Standard Webhooks have them: whsec_ and base64.`,
    );
  return secrets;
}
