import { createReadStream, existsSync } from 'node:fs';
import { lstat, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { Readable } from 'node:stream';
import ignore, { type Ignore } from 'ignore';
import { create } from 'tar';
import { Problem } from '@roadstead/kit/client';

const MAX_BYTES = 209_715_200;
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
  const rules = await readRules(folder);
  const names = await collect(folder, folder, rules);
  if (names.length === 0) throw new Problem('invalid', `${folder} holds nothing to deploy.`);
  const work = await mkdtemp(join(tmpdir(), 'roadstead-pack-'));
  const file = join(work, 'source.tgz');
  await create({ cwd: folder, file, gzip: true, portable: true, noMtime: true }, names);
  const { size } = await stat(file);
  if (size > MAX_BYTES) {
    await rm(work, { recursive: true });
    throw new Problem(
      'too_large',
      `The packed source has ${size} bytes; ${MAX_BYTES} are allowed. Name what isn't needed in .dockerignore or .gitignore.`,
    );
  }
  return {
    size,
    files: names.length,
    stream: () => Readable.toWeb(createReadStream(file)) as ReadableStream<Uint8Array>,
    [Symbol.asyncDispose]: () => rm(work, { recursive: true, force: true }),
  };
}

async function readRules(folder: string): Promise<Ignore> {
  const rules = ignore().add(ALWAYS);
  for (const name of ['.gitignore', '.dockerignore']) {
    const path = join(folder, name);
    if (existsSync(path)) rules.add(await readFile(path, 'utf8'));
  }
  return rules;
}

async function collect(root: string, folder: string, rules: Ignore): Promise<string[]> {
  const found: string[] = [];
  for (const name of (await readdir(folder)).toSorted()) {
    const path = join(folder, name);
    const shown = relative(root, path).split(sep).join('/');
    const info = await lstat(path);
    if (info.isDirectory()) {
      if (!rules.ignores(`${shown}/`)) found.push(...(await collect(root, path, rules)));
    } else if (info.isFile() && !rules.ignores(shown)) found.push(shown);
  }
  return found;
}
