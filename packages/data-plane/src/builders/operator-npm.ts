import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { promisify } from 'node:util';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * How the operator's npm reaches its package registry: proxies, certificates, registries and their credentials, when
 * they are set in the environment. Nothing else of our environment reaches a build. The operator's `~/.npmrc` is not
 * read, since a build's HOME is empty; npm's machine-wide file is, by `npm_config_globalconfig`.
 */
const REGISTRY_VARIABLES =
  /^(https?_proxy|no_proxy|node_extra_ca_certs|ssl_cert_(file|dir)|npm_config_(registry|globalconfig|.*:registry|.*:_auth.*|_auth.*|ca|cafile|https?_proxy|proxy|noproxy|strict_ssl))$/i;

function registryEnvironment(environment: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value !== undefined && REGISTRY_VARIABLES.test(name) ? [[name, value]] : [],
    ),
  );
}

/** What of the operator's environment a build gets; npm is asked once, at the first build. */
export interface OperatorNpm {
  /** PATH and the variables that lead to the package registry. */
  variables(): Promise<Readonly<Record<string, string>>>;
}

export function openOperatorNpm(environment: Environment): OperatorNpm {
  let known: Promise<Readonly<Record<string, string>>> | undefined;
  return { variables: () => (known ??= variablesOf(environment)) };
}

async function variablesOf(environment: Environment): Promise<Record<string, string>> {
  const path = withoutOurBinaries(environment['PATH'] ?? '/usr/local/bin:/usr/bin:/bin');
  const variables = registryEnvironment(environment);
  // npm derives its machine-wide file from the Node that runs it, so it is asked before ours stands first on the PATH.
  const globalconfig = variables['npm_config_globalconfig'] ?? (await globalConfigOf(path, environment));
  return {
    ...variables,
    ...(globalconfig === undefined ? {} : { npm_config_globalconfig: globalconfig }),
    PATH: `${dirname(process.execPath)}:${path}`,
  };
}

/** Undefined when there is no npm. */
async function globalConfigOf(path: string, environment: Environment): Promise<string | undefined> {
  const asked = promisify(execFile)('npm', ['config', 'get', 'globalconfig'], {
    // A project's own `.npmrc` must not answer.
    cwd: '/',
    env: { PATH: path, HOME: environment['HOME'] ?? '/', npm_config_update_notifier: 'false' },
    timeout: 20_000,
  });
  const text = await asked.then(
    ({ stdout }) => stdout.trim(),
    () => '',
  );
  return text.startsWith('/') ? text : undefined;
}

/** Without relative folders, and without the tools of our own checkout, which are no part of a build. */
function withoutOurBinaries(path: string): string {
  return path
    .split(':')
    .filter((folder) => folder.startsWith('/') && !/(^|\/)node_modules(\/|$)/.test(folder))
    .join(':');
}
