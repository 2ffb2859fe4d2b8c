import { execFile } from 'node:child_process';
import { appendFile, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { kept } from '@roadstead/testing/processes';
import { createHash } from 'node:crypto';
import { docker } from '../engine.ts';

/** Images are made on the engine without a network: packages come from folders of this machine. */

const run = promisify(execFile);
const recipes = fileURLToPath(new URL('../recipes/', import.meta.url));
const MINUTES_5 = 300_000;
const machine = process.arch === 'arm64' ? 'aarch64' : 'x86_64';
const platforms = ['manylinux_2_28', 'manylinux_2_27', 'manylinux_2_24', 'manylinux_2_17', 'manylinux2014'];

/** The wheels of these packages and what they need, for an image's Python; installed once for all tests. */
export async function wheelsOf(packages: readonly string[], python: string): Promise<string> {
  const digest = createHash('sha256')
    .update([python, machine, ...packages].join('\n'))
    .digest('hex');
  const from = platforms.flatMap((one) => ['--platform', `${one}_${machine}`]);
  const options = ['--quiet', '--only-binary=:all:', '--python-version', python, ...from];
  return await kept(`wheels-${digest.slice(0, 12)}`, (part) =>
    run('python3', ['-m', 'pip', 'download', ...options, '--dest', part, ...packages], {
      timeout: MINUTES_5,
    }),
  );
}

/** npm's cache with all that the lock file of a project names; filled once for all tests. */
export async function npmCacheOf(project: string): Promise<string> {
  const lock = join(project, 'package-lock.json');
  const digest = createHash('sha256')
    .update(await readFile(lock))
    .digest('hex');
  return await kept(`npm-cache-${digest.slice(0, 12)}`, async (part) => {
    const folder = await mkdtemp(join(tmpdir(), 'roadstead-npm-'));
    try {
      for (const file of [lock, join(project, 'package.json')]) await cp(file, join(folder, basename(file)));
      const options = ['--cache', part, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
      await run('npm', ['ci', ...options], { cwd: folder, timeout: MINUTES_5 });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
}

interface Recipe {
  /** A folder of `recipes`. */
  readonly name: string;
  readonly tag: string;
  readonly base: string;
  /** A last line of its Dockerfile. */
  readonly line?: string;
  /** Files and folders that lie beside its Dockerfile, by their names there. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Makes an image by one of the recipes beside this. */
export function makeImage({ name, tag, base, line = '', files = {} }: Recipe): Promise<string> {
  return build(tag, async (context) => {
    await cp(join(recipes, name), context, { recursive: true });
    for (const [to, from] of Object.entries(files)) await cp(from, join(context, to), { recursive: true });
    await appendFile(join(context, 'Dockerfile'), `${line}\n`);
    return ['--build-arg', `BASE=${base}`];
  });
}

interface Change {
  readonly tag: string;
  readonly base: string;
  /** A line of a Dockerfile. */
  readonly line: string;
}

/** Makes an image of another one by one line. */
export function makeChanged({ tag, base, line }: Change): Promise<string> {
  return build(tag, async (context) => {
    await writeFile(join(context, 'Dockerfile'), `FROM ${base}\n${line}\n`);
    return [];
  });
}

/** @param fill writes the context of a build, and answers the options that it wants */
async function build(tag: string, fill: (context: string) => Promise<readonly string[]>): Promise<string> {
  const context = await mkdtemp(join(tmpdir(), 'roadstead-image-'));
  try {
    docker('build', '--quiet', ...(await fill(context)), '--tag', tag, context);
    return tag;
  } finally {
    await rm(context, { recursive: true, force: true });
  }
}
