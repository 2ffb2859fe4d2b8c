import { type NpmSetting, passwordOf } from './operator-npm-rules.ts';

/** A registry in the notation of yarn 2 and later. */
interface YarnRegistry {
  npmRegistryServer?: string;
  npmAlwaysAuth?: boolean;
  npmAuthToken?: string;
  npmAuthIdent?: string;
}

interface YarnSettings extends YarnRegistry {
  httpProxy?: string;
  httpsProxy?: string;
  enableStrictSsl?: boolean;
  npmScopes?: Record<string, YarnRegistry>;
  npmRegistries?: Record<string, YarnRegistry>;
}

/**
 * The operator's access to registries as a `.yarnrc.yml`: yarn 2 and later read no `.npmrc`. Later settings override
 * earlier ones.
 */
export function yarnrcOf(settings: readonly NpmSetting[]): string {
  const yarn: YarnSettings = {};
  const logins = new Map<string, Record<string, string>>();
  for (const { key, value } of settings) {
    const [, scope] = /^@([^:]+):registry$/.exec(key) ?? [];
    const [, host = '', what = ''] = /^(\/\/.+?)\/*:(\w+)$/.exec(key) ?? [];
    if (scope !== undefined) (yarn.npmScopes ??= {})[scope] = { npmRegistryServer: value };
    else if (host !== '') logins.set(host, { ...logins.get(host), [what.toLowerCase()]: value });
    else if (key === 'registry') yarn.npmRegistryServer = value;
    else if (key === 'proxy') yarn.httpProxy = value;
    else if (key === 'https-proxy') yarn.httpsProxy = value;
    else if (key === 'strict-ssl') yarn.enableStrictSsl = value !== 'false';
  }
  for (const [host, login] of logins) {
    const auth = authOf(login);
    if (auth !== undefined) (yarn.npmRegistries ??= {})[host] = { npmAlwaysAuth: true, ...auth };
  }
  // Every JSON text is YAML.
  return `${JSON.stringify(yarn)}\n`;
}

function authOf({
  _authtoken,
  _auth,
  username,
  _password,
}: Record<string, string>): YarnRegistry | undefined {
  if (_authtoken !== undefined) return { npmAuthToken: _authtoken };
  if (_auth !== undefined) return { npmAuthIdent: _auth };
  if (username === undefined || _password === undefined) return undefined;
  return { npmAuthIdent: `${username}:${passwordOf(_password)}` };
}
