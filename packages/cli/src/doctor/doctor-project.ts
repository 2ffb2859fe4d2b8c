import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import { z } from 'zod';
import { isReservedVariable } from '@roadstead/contracts/control-plane';
import type { ProjectFacts } from './doctor-rules.ts';
import { listSource } from '../deployments/pack.ts';
import { isPinned, type PythonFiles } from './python-rules.ts';
import { findProjectConfig } from '../deployments/project-config.ts';

const Manifest = z.looseObject({
  dependencies: z.record(z.string(), z.string()).default({}),
  devDependencies: z.record(z.string(), z.string()).default({}),
  packageManager: z.string().optional(),
});
const LOCK_FILES = [
  'package-lock.json',
  'npm-shrinkwrap.json',
  'yarn.lock',
  'pnpm-lock.yaml',
  'bun.lock',
  'bun.lockb',
];

const PYTHON_FILES = ['pyproject.toml', 'requirements.txt', 'setup.py', 'uv.lock'];

/** Facts of a folder with a graph configuration; undefined for any other. */
export async function readProject(folder: string, config_path: string): Promise<ProjectFacts | undefined> {
  const at = (path: string) => join(folder, path);
  const read = await findProjectConfig(folder, config_path);
  if (read === undefined) return undefined;
  const beside = (path: string) => join(dirname(config_path), path);
  const graphs = read.kind === 'config' ? Object.values(read.config.graphs) : [];
  const files = graphs.map(({ path }) => beside(path.split(':')[0] ?? ''));
  const env =
    read.kind === 'config' && typeof read.config.env === 'string' ? beside(read.config.env) : undefined;
  const variables = env === undefined ? undefined : await readFile(at(env), 'utf8').catch(() => undefined);
  const manifest = Manifest.safeParse(jsonOf(await readFile(at('package.json'), 'utf8').catch(() => '')));
  const source = await listSource(folder);
  const sizes = await Promise.all(
    source.files.map(async (name) => (await stat(at(name)).catch(() => undefined))?.size ?? 0),
  );
  return {
    folder,
    config_path,
    config: read.kind === 'config' ? read.config : { refused: read.message, hint: read.hint },
    missing_graphs: await missing(folder, files),
    has_manifest: manifest.success,
    python: await readPythonFiles(folder, source.files),
    dependencies: { ...manifest.data?.devDependencies, ...manifest.data?.dependencies },
    package_manager: manifest.data?.packageManager,
    lock_files: source.files.filter((name) => LOCK_FILES.includes(name)),
    missing_env_file: env !== undefined && variables === undefined ? env : undefined,
    reserved_variables: Object.keys(parseEnv(variables ?? '')).filter(isReservedVariable),
    source_bytes: sizes.reduce((sum, size) => sum + size, 0),
    has_ignore_file: source.files.some((name) => name === '.dockerignore' || name === '.gitignore'),
  };
}

async function readPythonFiles(folder: string, files: readonly string[]): Promise<PythonFiles> {
  const telling = files.filter((path) => PYTHON_FILES.includes(basename(path)));
  const requirements = telling.filter((path) => basename(path) === 'requirements.txt');
  const texts = await Promise.all(requirements.map((path) => readFile(join(folder, path), 'utf8')));
  return { files: telling, is_pinned: texts.length === 0 ? null : texts.every(isPinned) };
}

async function missing(folder: string, files: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    files.map(async (file) =>
      (await stat(join(folder, file)).catch(() => undefined))?.isFile() === true ? [] : [file],
    ),
  );
  return [...new Set(found.flat())];
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
