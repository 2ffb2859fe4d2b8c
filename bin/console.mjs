// Builds the web console into packages/console/dist, where it is older than what it is made of. Plain JavaScript that
// loads the builder only when there is something to build.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, extname, join, relative } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { releaseLock, sweep, takeLock } from './build-lock.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = join(root, 'packages', 'console');
const dist = join(folder, 'dist');
const stamp = join(dist, '.made-of');
const building = join(folder, '.building');

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
    fileURLToPath(import.meta.url),
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
    if (!takeLock(building)) {
      await after(200);
      continue;
    }
    try {
      sweep(folder);
      if (!isMadeOf(made_of)) await run(made_of);
    } finally {
      tidy();
    }
  }
}

/** Leaves nothing of this process but what it finished. */
function tidy() {
  for (const name of readdirSync(folder))
    if (name.startsWith(`dist.${process.pid}`)) rmSync(join(folder, name), { recursive: true, force: true });
  releaseLock(building);
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

const LARGE_BYTES = 1_000_000;

function compress(file) {
  const bytes = readFileSync(file);
  // The last per cents cost seconds of a large file, and little of what a first view loads.
  const quality = bytes.length > LARGE_BYTES ? 9 : 11;
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: quality,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => {
      try {
        tidy();
      } finally {
        // Nobody listens any more: the signal ends the process, as whoever sent it expects.
        process.kill(process.pid, signal);
      }
    });
  await buildConsole();
}
