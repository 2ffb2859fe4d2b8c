import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** Environments of Python with pinned packages, kept beside what npm installed and made anew when the pins change. */

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/roadstead-mcp-python/', import.meta.url));
const MADE_MS = 240_000;
const run = promisify(execFile);

/** Its interpreter; undefined, with a sentence on standard error, where Python or the packages can’t be had. */
export async function pythonWith(requirements: URL): Promise<string | undefined> {
  try {
    const { stdout } = await run('python3', ['-c', 'import sys; print(sys.version_info >= (3, 10))']);
    if (stdout.trim() !== 'True') throw new Error('python3 is older than 3.10');
    const pins = await readFile(requirements);
    const folder = join(CACHE, createHash('sha256').update(pins).digest('hex').slice(0, 16));
    await access(folder).catch(() => make(folder, requirements));
    return join(folder, 'bin', 'python');
  } catch (error) {
    const why = error instanceof Error ? (error.message.split('\n')[0] ?? '') : 'something failed';
    process.stderr.write(`Clients in Python are not tested: ${why}.\n`);
    return undefined;
  }
}

/** Whole or not at all: what is half made has another name. Scripts of it are not used, so that it may be renamed. */
async function make(folder: string, requirements: URL): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const half = `${folder}.${process.pid}`;
  try {
    await run('python3', ['-m', 'venv', half]);
    const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r'];
    await run(join(half, 'bin', 'python'), [...install, fileURLToPath(requirements)], { timeout: MADE_MS });
    await rename(half, folder);
  } finally {
    await rm(half, { recursive: true, force: true });
  }
}
