import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import {
  certificatesOf,
  npmrcOf,
  pathsOf,
  secretsOf,
  settingsOfEnvironment,
  settingsOfFile,
  wayOut,
  homeOfManager,
} from './operator-npm-rules.ts';
import { yarnrcOf } from './yarn-settings-rules.ts';
import { existsSync, realpathSync } from 'node:fs';

type Variables = Readonly<Record<string, string>>;
type Environment = Readonly<Record<string, string | undefined>>;

/** The part of the operator's machine that a build gets (docs/decisions/0006-npm-of-the-operator.md). */
interface OperatorSettings {
  /** PATH, proxies and certificates, and the path of npm's machine-wide file. */
  readonly variables: Variables;
  /** Registries and their credentials, in files of the build's HOME for each package manager. */
  readonly files: Readonly<Record<string, string>>;
  /** Files and folders of the operator that a build may read: programs, and those that the settings name. */
  readonly paths: readonly string[];
  /** Values that must not appear in any log. */
  readonly secrets: Variables;
}

export interface OperatorNpm {
  /** Read again for each build, since tokens change; only npm itself is asked once. */
  read(): Promise<OperatorSettings>;
}

export function openOperatorNpm(environment: Environment): OperatorNpm {
  const path = withoutOurBinaries(environment['PATH'] ?? '/usr/local/bin:/usr/bin:/bin');
  let asked: Promise<string | undefined> | undefined;
  return {
    read: async () => {
      // npm derives its machine-wide file from the Node that runs it, so it is asked before ours comes first on the
      // PATH.
      const globalconfig =
        environment['npm_config_globalconfig'] ?? (await (asked ??= globalConfigOf(path, environment)));
      const texts = await Promise.all([globalconfig, userConfigOf(environment)].map(textOf));
      const settings = [
        ...texts.flatMap((text) => settingsOfFile(text, environment)),
        ...settingsOfEnvironment(environment),
      ];
      const variables = { ...certificatesOf(settings), ...wayOut(environment) };
      const machine_wide = globalconfig === undefined ? {} : { npm_config_globalconfig: globalconfig };
      return {
        paths: [...programFolders(path), ...pathsOf(settings, { ...variables, ...machine_wide })],
        variables: {
          ...variables,
          ...machine_wide,
          PATH: `${dirname(process.execPath)}:${path}`,
        },
        files: { '.npmrc': npmrcOf(settings), '.yarnrc.yml': yarnrcOf(settings) },
        secrets: secretsOf(settings, variables),
      };
    },
  };
}

async function textOf(path: string | undefined): Promise<string> {
  return path === undefined ? '' : await readFile(path, 'utf8').catch(() => '');
}

function userConfigOf(environment: Environment): string {
  const { npm_config_userconfig, NPM_CONFIG_USERCONFIG, HOME } = environment;
  return npm_config_userconfig ?? NPM_CONFIG_USERCONFIG ?? join(HOME ?? '/', '.npmrc');
}

/** Undefined when there is no npm. */
async function globalConfigOf(path: string, environment: Environment): Promise<string | undefined> {
  const asked = promisify(execFile)('npm', ['config', 'get', 'globalconfig'], {
    // A project's own `.npmrc` must not take part.
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

/** Drops relative folders, and the tools of our own checkout, which are no part of a build. */
function withoutOurBinaries(path: string): string {
  return path
    .split(':')
    .filter((folder) => folder.startsWith('/') && !/(^|\/)node_modules(\/|$)/.test(folder))
    .join(':');
}

/**
 * The folders that the programs on a PATH need: the PATH's own, for one that npm installs into also its packages, and
 * for a version manager everything that it manages.
 */
function programFolders(path: string): string[] {
  const folders = path.split(':').filter((folder) => existsSync(folder));
  const npm = folders.map((folder) => join(folder, 'npm')).find((file) => existsSync(file));
  return [
    ...folders.flatMap((folder) => [homeOfManager(folder) ?? folder, join(folder, '../lib/node_modules')]),
    ...(npm === undefined ? [] : [join(realpathSync(npm), '../..')]),
  ].filter((folder) => existsSync(folder));
}
