import { execFile } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { mkdtemp, readdir, readFile, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import ignore, { type Ignore } from 'ignore';
import { leadsOut, packFiles } from '@roadstead/archives';
import { Problem } from '@roadstead/kit';
import { kindOf, LEADS_OUT, type LeftOut, NO_FILE, whyOf } from './pack-rules.ts';

const MAX_BYTES = 209_715_200;
/** The level of compression, for a file that is sent once over a network. */
const LEVEL = 6;
export interface PackedSource extends AsyncDisposable {
  readonly size: number;
  readonly files: number;
  /** Everything that was left out without an ignore file naming it, and secrets. */
  readonly left_out: readonly LeftOut[];
  stream(): ReadableStream<Uint8Array>;
}

/** Packs a folder as gzip tar, by its ignore files; links stay links where their target is inside the folder. */
export async function packSource(folder: string): Promise<PackedSource> {
  const { files: names, left_out } = await listSource(folder);
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
      left_out,
      stream: () => Readable.toWeb(createReadStream(file)) as ReadableStream<Uint8Array>,
      [Symbol.asyncDispose]: discard,
    };
  } catch (error) {
    await discard();
    throw error;
  }
}

/** The rules of one ignore file, for everything below its folder. */
interface Rules {
  /** With a closing slash, or empty for the root. */
  readonly base: string;
  /** The path from the file's folder down to the root: with a closing slash, or empty. */
  readonly above?: string;
  readonly rules: Ignore;
}

/** Patterns of a `.dockerignore` are paths from the root, while those of a `.gitignore` are names anywhere. */
async function dockerRules(folder: string): Promise<Rules> {
  const lines = (await textOf(join(folder, '.dockerignore'))).split(/\r?\n/);
  return { base: '', rules: ignore().add(lines.map(fromRoot)) };
}

export function fromRoot(line: string): string {
  const [, not = '', pattern = ''] = /^\s*(!?)\s*(?:\.?\/)?(.*?)\s*$/.exec(line) ?? [];
  return pattern === '' || pattern.startsWith('#') ? '' : `${not}/${pattern}`;
}

/**
 * The ignore files of the repository around the folder, outermost first. A folder that the user names is wanted:
 * lines that would exclude it are ignored.
 */
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
    // Not in a repository: the folders above don't count.
    if (at === dirname(at)) return [];
  }
}

interface SourceNames {
  /** Files, and links to files or folders, as sorted paths from the root. */
  readonly files: string[];
  /** With a closing slash, or empty for the root. */
  readonly folders: string[];
  readonly left_out: LeftOut[];
}

/** Lists the contents of a folder that would be packed. */
export async function listSource(folder: string): Promise<SourceNames> {
  const above = await repositoryRules(await realpath(folder));
  const names: SourceNames = { files: [], folders: [], left_out: [] };
  let tracked: Promise<ReadonlySet<string>> | undefined;
  await collect(names, {
    root: folder,
    base: '',
    above: [...above, await dockerRules(folder)],
    tracked: () => (tracked ??= trackedFiles(folder)),
  });
  return { ...names, files: names.files.toSorted() };
}

interface ListingScope {
  readonly root: string;
  readonly base: string;
  readonly above: readonly Rules[];
  /** The files of the source that git tracks. */
  readonly tracked: () => Promise<ReadonlySet<string>>;
  /** If set, nothing else is packed. */
  readonly only?: ReadonlySet<string>;
}

async function collect(names: SourceNames, place: ListingScope): Promise<void> {
  const { root, base, above, only } = place;
  const own = { base, rules: ignore().add(await textOf(join(root, base, '.gitignore'))) };
  const rules = [...above, own];
  names.folders.push(base);
  for (const entry of await readdir(join(root, base), { withFileTypes: true })) {
    const name = base + entry.name;
    const kind = kindOf(entry.name);
    const kept = kind === 'made' && only === undefined ? await trackedBelow(name, place) : only;
    const leave = (why: string) => void names.left_out.push({ name, why });
    // A user who misses a secret should learn why; nobody misses files that the ignore files name.
    if (kind === 'secret') leave(whyOf(kind));
    else if (isIgnored(entry.isDirectory() ? `${name}/` : name, rules)) continue;
    else if (kind !== undefined && kept === undefined) leave(whyOf(kind));
    else if (entry.isDirectory())
      await collect(names, { ...place, base: `${name}/`, above: rules, ...(kept && { only: kept }) });
    else if (kept?.has(name) === false) continue;
    else if (entry.isFile()) names.files.push(name);
    else if (!entry.isSymbolicLink()) leave(NO_FILE);
    else if (await leadsOut(root, join(root, name))) leave(LEADS_OUT);
    else names.files.push(name);
  }
}

/** The tracked files of a folder that is usually generated; undefined where there are none. */
async function trackedBelow(
  name: string,
  { tracked }: ListingScope,
): Promise<ReadonlySet<string> | undefined> {
  const all = await tracked();
  return [...all].some((one) => one === name || one.startsWith(`${name}/`)) ? all : undefined;
}

/** The last matching line of the innermost file decides. */
function isIgnored(name: string, rules: readonly Rules[]): boolean {
  const verdicts = rules.map(({ base, above = '', rules: own }) => own.test(above + name.slice(base.length)));
  return verdicts.findLast(({ ignored, unignored }) => ignored || unignored)?.ignored === true;
}

const MAX_LISTED_BYTES = 268_435_456;

/** Empty where there is no git, or no repository. */
async function trackedFiles(folder: string): Promise<ReadonlySet<string>> {
  // Programs that the repository configures must not run.
  const args = ['-c', 'core.fsmonitor=false', 'ls-files', '-z'];
  const listed = await promisify(execFile)('git', args, { cwd: folder, maxBuffer: MAX_LISTED_BYTES }).then(
    ({ stdout }) => stdout,
    () => '',
  );
  return new Set(listed.split('\0').filter((name) => name !== ''));
}

const textOf = (path: string) => readFile(path, 'utf8').catch(() => '');
