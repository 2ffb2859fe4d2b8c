import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  type Interpreter,
  mergeSettings,
  type IndexSettings,
  noSettings,
  passedVariables,
  pipConfigOf,
  type Pythons,
  readOperatorSettings,
  readPipConfig,
  secretsOf,
  uvConfigOf,
} from '@roadstead/uv';
import { Problem } from '@roadstead/kit';
import { orAway } from '../artifacts/python-away.ts';
import { beginningOf, projectFile } from '../folders/project-files.ts';
import { removeTree } from '../folders/remove-tree.ts';
import type { BuildOrder } from '../ports/builder.ts';
import type { BuildCache } from './build-cache.ts';
import type { CommandSetup } from './build-commands.ts';
import { uvEntry } from './cache-entry-rules.ts';
import { type LimitedSettings, limitToProject } from './pip-config.ts';
import type { PythonPlan } from './python-plan.ts';

/** The uv and the Pythons of this machine, and what its operator says of indexes. */
export interface PythonTools {
  readonly uv: (signal: AbortSignal) => Promise<string>;
  readonly pythons: Pythons;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface PythonSetupOptions extends Pick<
  BuildOrder,
  'workspace_id' | 'deployment_id' | 'onLine' | 'signal'
> {
  readonly cache: BuildCache;
  /** The folder of the project. */
  readonly work: string;
  readonly plan: PythonPlan;
  /** The project's own `pip.conf`, relative to it. */
  readonly pip_config_file: string | undefined;
}

/** Programs of ours that run behind the fence. */
const PROGRAMS = ['collect-packages.py', 'index-lines.py', 'pick-packages.py'];

/** Gives a build what uv needs: uv itself, a Python, a cache, and the operator's indexes. */
export async function pythonSetup(
  tools: PythonTools,
  options: PythonSetupOptions,
  stack: AsyncDisposableStack,
): Promise<CommandSetup> {
  const { work, plan, onLine, signal } = options;
  const uv = await orAway(tools.uv(signal));
  const python = await orAway(tools.pythons.provideFirst(plan.requests, signal));
  onLine(`using Python ${python.version}`, 'INFO');
  const { operator, settings, warnings } = await settingsOf(tools, options);
  for (const warning of warnings) onLine(warning, 'WARNING');
  const cache = await openCache(options, stack);
  const own = join(work, '.roadstead');
  await removeTree(own);
  const venv = join(own, 'venv');
  return {
    variables: { ...passedVariables(tools.environment), ...variablesOf(python, { venv, cache, settings }) },
    path: [join(venv, 'bin'), dirname(uv), dirname(python.executable)],
    reads: [dirname(uv), python.folder, ...pathsIn(operator)],
    writes: [cache],
    files: {
      ...plan.files,
      ...Object.fromEntries(await Promise.all(PROGRAMS.map(programText))),
      '.config/uv/uv.toml': uvConfigOf(settings),
      '.config/pip/pip.conf': pipConfigOf(settings),
    },
    secrets: secretsOf(settings),
  };
}

const programText = async (name: string) =>
  [name, await readFile(new URL(name, import.meta.url), 'utf8')] as const;

/** Whether the operator names an index of packages. */
export async function namesIndex({ environment }: PythonTools): Promise<boolean> {
  const { default_index, uses_no_index } = await readOperatorSettings(environment);
  return default_index !== undefined || uses_no_index;
}

interface BuildSettings {
  /** Those of the operator, whose files a build may read. */
  readonly operator: IndexSettings;
  /** Those that count: what the project's `pip.conf` says comes before them. */
  readonly settings: IndexSettings;
  readonly warnings: readonly string[];
}

async function settingsOf(
  { environment }: PythonTools,
  { work, plan, pip_config_file }: PythonSetupOptions,
): Promise<BuildSettings> {
  const operator = await readOperatorSettings(environment);
  const project = await projectSettings(work, pip_config_file);
  const settings = mergeSettings([project.settings, operator]);
  const strategy = settings.strategy ?? (plan.is_like_pip ? 'unsafe-best-match' : undefined);
  return { operator, settings: { ...settings, strategy }, warnings: project.warnings };
}

async function projectSettings(work: string, name: string | undefined): Promise<LimitedSettings> {
  if (name === undefined) return { settings: noSettings, warnings: [] };
  const file = await projectFile(work, name);
  if (file === undefined)
    throw new Problem('invalid', `pip_config_file: ${name} is not a file of the source.`);
  return limitToProject(readPipConfig(await beginningOf(file.path)), { work, file: name });
}

/** Opens the cache of this deployment alone: uv trusts what it finds there. */
async function openCache(
  { cache, workspace_id, deployment_id }: PythonSetupOptions,
  stack: AsyncDisposableStack,
): Promise<string> {
  const { path } = stack.use(cache.hold(workspace_id, uvEntry(deployment_id)));
  await mkdir(path, { recursive: true });
  return path;
}

function variablesOf(
  { executable }: Interpreter,
  {
    venv,
    cache,
    settings,
  }: { readonly venv: string; readonly cache: string; readonly settings: IndexSettings },
): Record<string, string> {
  const { certificates } = settings;
  return {
    ...(certificates === undefined ? {} : { SSL_CERT_FILE: certificates, PIP_CERT: certificates }),
    VIRTUAL_ENV: venv,
    // Commands of the project, such as `uv sync`, install into the same one.
    UV_PROJECT_ENVIRONMENT: venv,
    ROADSTEAD_PYTHON: executable,
    UV_PYTHON_DOWNLOADS: 'never',
    UV_CACHE_DIR: join(cache, 'uv'),
    PIP_CACHE_DIR: join(cache, 'pip'),
    // Files that are shared with the cache would change with it.
    UV_LINK_MODE: 'copy',
    UV_NO_PROGRESS: '1',
    UV_PREVIEW_FEATURES: 'pylock',
    PIP_DISABLE_PIP_VERSION_CHECK: '1',
    PYTHONDONTWRITEBYTECODE: '1',
  };
}

/** Files and folders of this machine that the settings name. */
const pathsIn = ({ find_links, certificates }: IndexSettings) =>
  [...find_links.map((place) => place.replace(/^file:\/\//, '')), certificates ?? ''].filter((place) =>
    place.startsWith('/'),
  );
