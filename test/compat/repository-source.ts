import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type Language, languageOf } from '../../packages/contracts/src/langgraph-json/languages.ts';
import { lineOf, variablesOf } from './example-variables-rules.ts';

/** What is in a git repository: its configurations, its files, and the keys that it says it needs. */

const run = promisify(execFile);

export interface Repository {
  readonly name: string;
  readonly git: string;
}

/** Clones, bare or not, or folders that hold one as `repo`. */
export async function listRepositories(from: string): Promise<Repository[]> {
  const names = (await readdir(from)).toSorted();
  const repositories = names.map(async (name) => {
    for (const git of ['repo/.git', 'repo', '.git', '.'].map((inner) => join(from, name, inner)))
      if (await isGit(git)) return { name, git };
    return undefined;
  });
  return (await Promise.all(repositories)).filter((one) => one !== undefined);
}

async function isGit(folder: string): Promise<boolean> {
  return stat(join(folder, 'HEAD')).then(
    () => true,
    () => false,
  );
}

const inGit = async ({ git }: Repository, ...args: string[]) =>
  (await run('git', ['-C', git, ...args], { maxBuffer: 268_435_456 })).stdout.trim();

export const newestCommit = (repository: Repository): Promise<string> =>
  inGit(repository, 'rev-parse', 'HEAD');

/** The configuration nearest to the root, of those with a graph in this language. */
export async function findConfig(repository: Repository, language: Language): Promise<string | undefined> {
  const files = (await inGit(repository, 'ls-tree', '-r', '--name-only', 'HEAD')).split('\n');
  const configs = files
    .filter((path) => /(^|\/)langgraph\.json$/.test(path))
    .toSorted((a, b) => a.split('/').length - b.split('/').length);
  for (const path of configs) {
    const text = await inGit(repository, 'show', `HEAD:${path}`);
    if (graphsIn(text).some((graph) => languageOf(graph) === language)) return path;
  }
  return undefined;
}

/** The paths of the graphs; none where the text is no configuration. */
function graphsIn(text: string): string[] {
  try {
    const { graphs = {} } = JSON.parse(text) as { graphs?: Record<string, string | { path: string }> };
    return Object.values(graphs).map((graph) => (typeof graph === 'string' ? graph : graph.path));
  } catch {
    return [];
  }
}

/** Puts the files of the newest commit into a new folder. */
export async function extract(repository: Repository, folder: string): Promise<void> {
  const archive = `${folder}.tar`;
  await mkdir(folder);
  const left_out = (await listMissing(repository)).map((path) => `:(exclude,literal)${path}`);
  await inGit(repository, 'archive', '--format=tar', `--output=${archive}`, 'HEAD', '--', '.', ...left_out);
  await run('tar', ['-xf', archive, '-C', folder]);
}

/** Files that a partial clone does not hold, such as large pictures. */
async function listMissing(repository: Repository): Promise<string[]> {
  const listed = await inGit(repository, 'rev-list', '--objects', '--missing=print', '--max-count=1', 'HEAD');
  const missing = new Set(
    listed.split('\n').flatMap((line) => (line.startsWith('?') ? [line.slice(1)] : [])),
  );
  if (missing.size === 0) return [];
  const files = (await inGit(repository, 'ls-tree', '-r', 'HEAD'))
    .split('\n')
    .map((line) => line.split('\t'));
  return files.flatMap(([object = '', path = '']) => (missing.has(object.split(' ')[2] ?? '') ? [path] : []));
}

const EXAMPLES = ['.env.example', '.env.sample', 'env.example', '.env.template', 'example.env'];

/** The lines of an env file for it: the examples beside its configuration come before those of its root. */
export async function variablesFor(source: string, config: string): Promise<string[]> {
  const folders = [...new Set([join(source, dirname(config)), source])];
  const files = folders.flatMap((folder) => EXAMPLES.map((name) => join(folder, name)));
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')));
  return [...variablesOf(texts)].map(([name, value]) => lineOf(name, value));
}
