type Environment = Readonly<Record<string, string | undefined>>;

/** A setting of npm, as in a line of an `.npmrc`. */
export interface NpmSetting {
  readonly key: string;
  readonly value: string;
}

/** Variables by which the operator's machine reaches the network, for every tool of a build. */
const WAY_OUT = /^(https?_proxy|no_proxy|all_proxy|node_extra_ca_certs|ssl_cert_(file|dir)|git_ssl_cainfo)$/i;

/** Settings of npm about reaching a registry; the operator's other preferences are no part of a build. */
const ABOUT_REGISTRIES =
  /^(registry|@[^:]+:registry|proxy|https?-proxy|noproxy|strict-ssl|ca|ca\[\]|cafile|cert|key|_auth|_authtoken|always-auth|replace-registry-host|maxsockets|fetch-[a-z-]+|\/\/.+:(_authtoken|_auth|username|_password|email|certfile|keyfile|always-auth))$/i;

const SECRET = /(^|:)(_authtoken|_auth|_password|key)$/i;

/** Variables that a build gets unchanged. */
export function wayOut(environment: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value !== undefined && WAY_OUT.test(name) ? [[name, value]] : [],
    ),
  );
}

/** The settings of an `.npmrc` about reaching registries; `${NAME}` and `~/` are expanded as for the operator. */
export function settingsOfFile(text: string, environment: Environment): NpmSetting[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const written = line.trim();
    if (written === '' || written.startsWith(';') || written.startsWith('#')) return [];
    const [key = '', ...rest] = expand(written, environment).split('=');
    const value = rest
      .join('=')
      .trim()
      .replace(/^~\//, `${environment['HOME'] ?? ''}/`);
    return chosen(key.trim(), value);
  });
}

/** The same from variables like `npm_config_registry`. */
export function settingsOfEnvironment(environment: Environment): NpmSetting[] {
  return Object.entries(environment).flatMap(([name, value]) => {
    if (value === undefined || value === '' || !/^npm_config_/i.test(name)) return [];
    const written = name.slice('npm_config_'.length);
    // Normalized like npm does: addresses keep their form, everything else is in lower case with hyphens.
    const key = written.startsWith('//') ? written : written.replaceAll(/(?!^)_/g, '-').toLowerCase();
    return chosen(key, value);
  });
}

/** The certificates of `cafile` for tools that know no npm setting: yarn, pnpm, bun and Node itself. */
export function certificatesOf(settings: readonly NpmSetting[]): Record<string, string> {
  const file = settings.findLast(({ key }) => key === 'cafile')?.value;
  return file === undefined || file === '' ? {} : { NODE_EXTRA_CA_CERTS: file };
}

/** The password in a `_password` setting, as it is sent. */
export const passwordOf = (value: string): string => Buffer.from(value, 'base64').toString();

/** The file that a build gets; later settings override earlier ones. */
export function npmrcOf(settings: readonly NpmSetting[]): string {
  return settings.map(({ key, value }) => `${key}=${value}\n`).join('');
}

/** Files and folders that the settings refer to, like certificates. */
export function pathsOf(settings: readonly NpmSetting[], variables: Environment): string[] {
  const values = [...settings.map(({ value }) => value), ...Object.values(variables)];
  return values.flatMap((value) => (value?.startsWith('/') === true ? [value] : []));
}

/** Programs on a PATH that look for the real ones beside themselves; these folders hold programs and no secrets. */
const VERSION_MANAGERS =
  /^.*\/(\.(asdf|bun|fnm|nodenv|nvm|n|proto|pyenv|rbenv|volta)|(\.local\/share|\.config)\/(fnm|mise|nvm))(?=\/)/;

export const homeOfManager = (folder: string): string | undefined => VERSION_MANAGERS.exec(folder)?.[0];

/** Values that must not appear in any log: credentials, and those inside addresses. */
export function secretsOf(settings: readonly NpmSetting[], variables: Environment): Record<string, string> {
  const named = settings.filter(({ key }) => SECRET.test(key)).map(({ value }) => value);
  const sent = settings.filter(({ key }) => key.endsWith(':_password')).map(({ value }) => passwordOf(value));
  const addresses = [...settings.map(({ value }) => value), ...Object.values(variables)];
  const inside = addresses.flatMap((value) => /^\w+:\/\/([^@/\s]+)@/.exec(value ?? '')?.[1] ?? []);
  return Object.fromEntries([...named, ...sent, ...inside].map((value, at) => [`secret ${at}`, value]));
}

function chosen(key: string, value: string): NpmSetting[] {
  return ABOUT_REGISTRIES.test(key) && !/[\r\n]/.test(value) ? [{ key, value }] : [];
}

function expand(line: string, environment: Environment): string {
  return line.replaceAll(
    /\$\{([^${}?]+)(\?)?\}/g,
    (whole, name: string, optional: string | undefined) =>
      environment[name] ?? (optional === undefined ? whole : ''),
  );
}
