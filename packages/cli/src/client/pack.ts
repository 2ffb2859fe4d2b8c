import { createReadStream } from 'node:fs';
import { mkdtemp, readdir, readFile, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { Readable } from 'node:stream';
import ignore, { type Ignore } from 'ignore';
import { packFiles } from '@roadstead/archives';
import { Problem } from '@roadstead/kit/client';

const MAX_BYTES = 209_715_200;
/** Of compression: what is sent once over a network. */
const LEVEL = 6;
/** Never part of a source, whatever the ignore files say: `.env` files hold secrets, and the rest is made anew. */
const ALWAYS = [
  '.git',
  'node_modules',
  '.env',
  '.env.*',
  '.venv',
  'venv',
  '__pycache__',
  '.roadstead',
  '.langgraph_api',
  '.DS_Store',
  '.turbo',
  '.cache',
];

export interface PackedSource extends AsyncDisposable {
  readonly size: number;
  readonly files: number;
  stream(): ReadableStream<Uint8Array>;
}

/** Packs a folder as gzip tar, by its ignore files; links are left out. */
export async function packSource(folder: string): Promise<PackedSource> {
  const { files: names } = await listSource(folder);
  if (names.length === 0) throw new Problem('invalid', `${folder} holds nothing to deploy.`);
  const work = await mkdtemp(join(tmpdir(), 'roadstead-pack-'));
  const discard = () => rm(work, { recursive: true, force: true });
  try {
    const file = join(work, 'source.tgz');
    await packFiles(file, { folder, paths: names, level: LEVEL });
    const { size } = await stat(file);
    if (size > MAX_BYTES)
      throw new Problem(
        'too_large',
        `The packed source has ${size} bytes; ${MAX_BYTES} are allowed. Name what isn't needed in .dockerignore or .gitignore.`,
      );
    return {
      size,
      files: names.length,
      stream: () => Readable.toWeb(createReadStream(file)) as ReadableStream<Uint8Array>,
      [Symbol.asyncDispose]: discard,
    };
  } catch (error) {
    await discard();
    throw error;
  }
}

/** The rules of one ignore file, for what lies below its folder. */
interface Rules {
  /** With a closing slash, or empty for the root. */
  readonly base: string;
  /** Where the root lies below the file's folder: with a closing slash, or empty. */
  readonly above?: string;
  readonly rules: Ignore;
}

const always = ignore().add(ALWAYS);

/** Patterns of a `.dockerignore` mean paths from the root, where those of a `.gitignore` mean names anywhere. */
async function dockerRules(folder: string): Promise<Rules> {
  const lines = (await textOf(join(folder, '.dockerignore'))).split(/\r?\n/);
  return { base: '', rules: ignore().add(lines.map(fromRoot)) };
}

export function fromRoot(line: string): string {
  const [, not = '', pattern = ''] = /^\s*(!?)\s*(?:\.?\/)?(.*?)\s*$/.exec(line) ?? [];
  return pattern === '' || pattern.startsWith('#') ? '' : `${not}/${pattern}`;
}

/** Those of the repository around the folder, the outermost first. Who names a folder wants it: lines that leave it out say nothing. */
async function repositoryRules(folder: string): Promise<Rules[]> {
  const found: Rules[] = [];
  for (let at = folder; ; at = dirname(at)) {
    const git = await stat(join(at, '.git')).catch(() => undefined);
    const exclude = git?.isDirectory() === true ? await textOf(join(at, '.git', 'info', 'exclude')) : '';
    const own = at === folder ? '' : await textOf(join(at, '.gitignore'));
    const above = relative(at, folder).split(sep).join('/');
    const lines = `${exclude}\n${own}`.split(/\r?\n/);
    const rules = ignore().add(
      lines.filter((line) => above === '' || !ignore().add(line).ignores(`${above}/`)),
    );
    found.unshift({ base: '', above: above === '' ? '' : `${above}/`, rules });
    if (git !== undefined) return found;
    // Not in a repository: the folders above it don't count.
    if (at === dirname(at)) return [];
  }
}

interface SourceNames {
  /** From the root, sorted. */
  readonly files: string[];
  /** With a closing slash, or empty for the root. */
  readonly folders: string[];
}

/** What of a folder would be packed. */
export async function listSource(folder: string): Promise<SourceNames> {
  const above = await repositoryRules(await realpath(folder));
  const names: SourceNames = { files: [], folders: [] };
  await collect(names, { root: folder, base: '', above: [...above, await dockerRules(folder)] });
  return { ...names, files: names.files.toSorted() };
}

interface Place {
  readonly root: string;
  readonly base: string;
  readonly above: readonly Rules[];
}

async function collect(names: SourceNames, { root, base, above }: Place): Promise<void> {
  const own = { base, rules: ignore().add(await textOf(join(root, base, '.gitignore'))) };
  const rules = [...above, own];
  names.folders.push(base);
  for (const entry of await readdir(join(root, base), { withFileTypes: true })) {
    const name = base + entry.name;
    if (entry.isDirectory()) {
      if (!isIgnored(`${name}/`, rules)) await collect(names, { root, base: `${name}/`, above: rules });
    } else if (entry.isFile() && !isIgnored(name, rules)) names.files.push(name);
  }
}

/** The last word of the innermost file counts. */
function isIgnored(name: string, rules: readonly Rules[]): boolean {
  if (always.ignores(name)) return true;
  const verdicts = rules.map(({ base, above = '', rules: own }) => own.test(above + name.slice(base.length)));
  return verdicts.findLast(({ ignored, unignored }) => ignored || unignored)?.ignored === true;
}

const textOf = (path: string) => readFile(path, 'utf8').catch(() => '');
