// Builds the web console into packages/console/dist, where it is older than what it is made of. Plain JavaScript that
// loads the builder only when there is something to build.
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, extname, join, relative } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = join(root, 'packages', 'console');
const dist = join(folder, 'dist');
const stamp = join(dist, '.made-of');
const lock = join(folder, '.building');
/** After so long whoever built is taken for dead. */
const LONGEST_MS = 120_000;

/** What it is made of: its own files, the contracts, and the versions of what it uses. */
function digest() {
  const hash = createHash('sha256');
  const files = [
    ...filesBelow(join(folder, 'src')),
    ...filesBelow(join(folder, 'public')),
    ...filesBelow(join(folder, 'build')),
    ...filesBelow(join(root, 'packages', 'contracts', 'src')),
    ...['index.html', 'package.json', 'vite.config.ts'].map((name) => join(folder, name)),
    join(root, 'package-lock.json'),
  ];
  for (const file of files) hash.update(relative(root, file)).update('\0').update(readFileSync(file));
  return hash.digest('hex');
}

const filesBelow = (path) =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();

const isMadeOf = (made_of) => existsSync(stamp) && readFileSync(stamp, 'utf8') === made_of;

/** Builds unless what is there is good; waits where another process builds. */
export async function buildConsole() {
  const made_of = digest();
  while (!isMadeOf(made_of)) {
    if (!takeLock()) {
      await after(200);
      continue;
    }
    try {
      await run(made_of);
    } finally {
      for (const name of readdirSync(folder))
        if (name.startsWith(`dist.${process.pid}`))
          rmSync(join(folder, name), { recursive: true, force: true });
      rmSync(lock, { recursive: true, force: true });
    }
  }
}

function takeLock() {
  try {
    mkdirSync(lock);
    return true;
  } catch {
    const age_ms = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age_ms > LONGEST_MS) rmSync(lock, { recursive: true, force: true });
    return false;
  }
}

/** Builds beside what is served, and then takes its place. */
async function run(made_of) {
  const next = join(folder, `dist.${process.pid}`);
  process.env.NODE_ENV = 'production';
  const { build } = await import('vite');
  await build({
    configFile: join(folder, 'vite.config.ts'),
    configLoader: 'native',
    logLevel: 'warn',
    build: { outDir: next, emptyOutDir: true },
  });
  for (const file of filesBelow(next)) if (COMPRESSED.has(extname(file))) compress(file);
  writeFileSync(join(next, '.made-of'), made_of);
  const old = `${next}.old`;
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(next, dist);
  rmSync(old, { recursive: true, force: true });
}

const COMPRESSED = new Set(['.js', '.css', '.html', '.svg']);

function compress(file) {
  const bytes = readFileSync(file);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildConsole();
