import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { HostOptions } from '../../packages/graph-host/src/testing/host-process.ts';
import { venvWith } from '../../packages/testing/src/processes/index.ts';
import type { JavaScriptVersion, LangGraphVersion, PythonVersion } from './versions.ts';

const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const run = promisify(execFile);

/** A project of its own with one version of LangGraph, and what starts its host. */
export interface InstalledVersion extends AsyncDisposable {
  readonly version: LangGraphVersion;
  readonly folder: string;
  readonly host: HostOptions;
}

/** How a project's packages are installed; npm's settings hold for both. */
type Manager = 'npm' | 'pnpm';

const commands: Readonly<Record<Manager, readonly string[]>> = {
  npm: ['npm', 'install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'],
  pnpm: ['npx', '--yes', 'pnpm@9.15.9', 'install', '--ignore-scripts', '--store-dir=.store'],
};

export interface InstallOptions {
  /** That of JavaScript. */
  readonly manager?: Manager;
  /** The version of Python, as uv understands it. */
  readonly python?: string;
}

/** Installs a version from the registry. @throws where a wanted Python can't be had. */
export async function installVersion(
  version: LangGraphVersion,
  { manager = 'npm', python }: InstallOptions = {},
): Promise<InstalledVersion> {
  return version.language === 'python'
    ? await installPython(version, python)
    : await installJavaScript(version, manager);
}

async function installJavaScript(version: JavaScriptVersion, manager: Manager): Promise<InstalledVersion> {
  const folder = await mkdtemp(join(tmpdir(), 'roadstead-compat-'));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rm(folder, { recursive: true }));
  await cp(pathOf('./agent'), folder, { recursive: true });
  const { langgraph, core, checkpoint } = version;
  const manifest = {
    private: true,
    type: 'module',
    dependencies: {
      '@langchain/core': core,
      '@langchain/langgraph': langgraph,
      ...(checkpoint === undefined ? {} : { '@langchain/langgraph-checkpoint': checkpoint }),
    },
  };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  const [command = '', ...args] = commands[manager];
  await run(command, args, { cwd: folder, timeout: 180_000 });
  const kept = stack.move();
  return { version, folder, host: { fenced: true }, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** Its packages are installed once for all runs, so nothing is removed. */
async function installPython(version: PythonVersion, python?: string): Promise<InstalledVersion> {
  const { langgraph, core, checkpoint, prebuilt } = version;
  const packages = [
    `langgraph==${langgraph}`,
    `langchain-core==${core}`,
    `langgraph-checkpoint==${checkpoint}`,
    ...(prebuilt === undefined ? [] : [`langgraph-prebuilt==${prebuilt}`]),
  ];
  const made = await venvWith({ packages, ...(python === undefined ? {} : { python }) });
  if (typeof made === 'string') throw new Error(made);
  const main = pathOf('../../packages/graph-host-python/src/roadstead_host/__main__.py');
  return {
    version,
    folder: pathOf('./agent-python'),
    host: { command: [made.python, '-P', main] },
    [Symbol.asyncDispose]: async () => undefined,
  };
}
