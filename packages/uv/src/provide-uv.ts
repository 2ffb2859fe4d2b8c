import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import {
  access,
  constants,
  mkdir,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { Problem, syncPath } from '@roadstead/kit';
import { download, IndexAway } from './download.ts';
import { type IndexSettings, indexesOf } from './index-settings.ts';
import { type Environment, readOperatorSettings } from './operator-settings.ts';
import { isNewEnough, MEMBER, OLDEST, VERSION, wheels } from './releases.ts';
import { ACCEPT, findFileUrl } from './simple-api-rules.ts';
import { findZipMember } from './zip-rules.ts';

export interface UvOptions {
  /** Where the one that we bring is kept. */
  readonly folder: string;
  /** The operator's: its PATH, and what it says of indexes. */
  readonly environment: Environment;
  readonly signal: AbortSignal;
  /** Platform and processor, as Node names them. */
  readonly platform?: string;
}

const MAX_WHEEL_BYTES = 60_000_000;
const MAX_PAGE_BYTES = 33_554_432;
const MAX_PROGRAM_BYTES = 200_000_000;

/**
 * The path of uv: the one on the operator's PATH where it is new enough, else the one that we bring.
 * @throws Problem that says why neither is to be had.
 */
export async function provideUv(options: UvOptions): Promise<string> {
  const on_path = await findOnPath(options.environment);
  if (on_path.path !== undefined) return on_path.path;
  const { platform = `${process.platform}-${process.arch}` } = options;
  const path = keptPath(options);
  if (await isProgram(path)) return path;
  const wheel = wheels[platform];
  const advice = `Install uv ${OLDEST.join('.')} or later on this machine.`;
  if (wheel === undefined)
    throw new Problem('invalid', `uv, which builds Python projects, is not brought for ${platform}.`, {
      hint: advice,
    });
  const found = await findWheel(wheel, options);
  if ('reasons' in found) {
    const reasons = [...on_path.reasons, ...found.reasons].join('; ');
    throw new Problem(
      found.is_away ? 'unavailable' : 'invalid',
      `uv, which builds Python projects, is not to be had: ${reasons}.`,
      {
        hint: `${advice} Or name an index of Python packages that has it, by UV_DEFAULT_INDEX or in pip.conf.`,
      },
    );
  }
  await keepProgram(await programOf(found.bytes), path);
  return path;
}

/** The path of uv where it need not be brought: it is on the operator's PATH, or was brought before. */
export async function findUv(
  options: Pick<UvOptions, 'folder' | 'environment'>,
): Promise<string | undefined> {
  const { path = keptPath(options) } = await findOnPath(options.environment);
  return (await isProgram(path)) ? path : undefined;
}

/** The path of a uv that may look for Pythons: that, else any that we brought, of whichever version. */
export async function findAnyUv(
  options: Pick<UvOptions, 'folder' | 'environment'>,
): Promise<string | undefined> {
  const found = await findUv(options);
  if (found !== undefined) return found;
  const names = await readdir(options.folder).catch(() => []);
  const others = names
    .filter((name) => name.startsWith('uv-'))
    .map((name) => join(options.folder, name, 'uv'));
  for (const path of others.toReversed()) if (await isProgram(path)) return path;
  return undefined;
}

/** Removes the versions of uv that we brought before, once another is there. */
export async function pruneUv(options: Pick<UvOptions, 'folder' | 'environment'>): Promise<void> {
  if ((await findUv(options)) === undefined) return;
  const { folder } = options;
  const own = dirname(keptPath(options));
  const names = await readdir(folder).catch(() => []);
  for (const path of names.filter((name) => name.startsWith('uv-')).map((name) => join(folder, name)))
    if (path !== own) await rm(path, { recursive: true, force: true });
}

const keptPath = ({ folder }: Pick<UvOptions, 'folder'>) => join(folder, `uv-${VERSION}`, 'uv');

/**
 * The first uv on the PATH, unless it is too old. A build sees the folder of the program alone: no link to it, and nothing
 * that a script would start.
 */
async function findOnPath({
  PATH = '',
}: Environment): Promise<{ readonly path?: string; readonly reasons: readonly string[] }> {
  const reasons: string[] = [];
  for (const folder of PATH.split(':').filter((one) => one.startsWith('/'))) {
    const named = join(folder, 'uv');
    if (!(await isProgram(named))) continue;
    const path = await realpath(named);
    const version = await versionOf(path);
    if (version === undefined) continue;
    if (!isNewEnough(version)) return { reasons: [...reasons, `the one on the PATH is ${version}, too old`] };
    if (!(await isScript(path))) return { path, reasons };
    reasons.push('the one on the PATH is a script, which a build cannot run');
  }
  return { reasons };
}

/** Undefined where the program is something else. */
async function versionOf(path: string): Promise<string | undefined> {
  const asked = promisify(execFile)(path, ['--version'], { cwd: '/', env: {}, timeout: 20_000 });
  const text = await asked.then(
    ({ stdout }) => stdout,
    () => '',
  );
  return /^uv (\d+\.\d+\.\d+)/.exec(text)?.[1];
}

/** Version managers put scripts in the place of programs, which start others elsewhere. */
async function isScript(path: string): Promise<boolean> {
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0);
  return buffer.toString('latin1', 0, bytesRead) === '#!';
}

const isProgram = (path: string) =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );

type Wheel = (typeof wheels)[string];

/** The wheel from the first place that has it with the right hash, or why none has. */
async function findWheel(
  wheel: Wheel,
  { environment, signal }: UvOptions,
): Promise<{ readonly bytes: Buffer } | { readonly reasons: readonly string[]; readonly is_away: boolean }> {
  const settings = await readOperatorSettings(environment);
  const reasons: string[] = [];
  for (const folder of settings.find_links.flatMap(localFolder)) {
    const bytes = await readFile(join(folder, wheel.file)).catch(() => undefined);
    if (bytes !== undefined && isRight(bytes, wheel)) return { bytes };
    if (bytes !== undefined) reasons.push(`${wheel.file} in ${folder} has the wrong hash`);
  }
  let is_away = false;
  for (const index of indexesOf(settings)) {
    if (!URL.canParse(index)) {
      reasons.push('an index is named by no address');
      continue;
    }
    const { host } = new URL(index);
    try {
      const bytes = await downloadWheel(wheel, { index, settings, environment, signal });
      if (bytes === undefined) reasons.push(`${host} has no ${wheel.file}`);
      else if (isRight(bytes, wheel)) return { bytes };
      else reasons.push(`${wheel.file} of ${host} has the wrong hash`);
    } catch (error) {
      signal.throwIfAborted();
      is_away ||= error instanceof IndexAway;
      reasons.push((error as Error).message);
    }
  }
  return { reasons, is_away };
}

async function downloadWheel(
  { file }: Wheel,
  {
    index,
    ...options
  }: {
    readonly index: string;
    readonly settings: IndexSettings;
    readonly environment: Environment;
    readonly signal: AbortSignal;
  },
): Promise<Buffer | undefined> {
  const page_url = `${index.replace(/\/+$/, '')}/uv/`;
  const page = await download(page_url, { ...options, accept: ACCEPT, max_bytes: MAX_PAGE_BYTES });
  const url = findFileUrl(page.bytes.toString(), { file, at: page.at });
  if (url === undefined) return undefined;
  const login_for = new URL(index);
  const { bytes } = await download(url.href, {
    ...options,
    accept: '*/*',
    max_bytes: MAX_WHEEL_BYTES,
    login_for,
  });
  return bytes;
}

function localFolder(place: string): string[] {
  if (place.startsWith('/')) return [place];
  return place.startsWith('file://') ? [fileURLToPath(place)] : [];
}

const isRight = (bytes: Buffer, { sha256 }: Wheel) =>
  createHash('sha256').update(bytes).digest('hex') === sha256;

async function programOf(wheel: Buffer): Promise<Buffer> {
  const member = findZipMember(wheel, MEMBER);
  if (member === undefined || member.size > MAX_PROGRAM_BYTES)
    throw new Error(`The wheel of uv ${VERSION} holds no ${MEMBER}.`);
  return member.method === 'stored'
    ? member.data
    : await promisify(inflateRaw)(member.data, { maxOutputLength: MAX_PROGRAM_BYTES });
}

/** It is complete or absent, no matter who else keeps it at the same time. */
async function keepProgram(program: Buffer, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const unfinished = `${path}.${randomUUID()}`;
  try {
    await writeFile(unfinished, program, { flag: 'wx', mode: 0o755 });
    await syncPath(unfinished);
    await rename(unfinished, path);
    await syncPath(dirname(path));
  } finally {
    await rm(unfinished, { force: true });
  }
}
