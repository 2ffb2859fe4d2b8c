import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Python with packages, for programs of its users; installed once for all tests. */

const run = promisify(execFile);
const MINUTES_3 = 180_000;

export interface Python {
  /** Runs a program and answers what it wrote. @throws with what it wrote, where it fails. */
  readonly run: (program: string, env: Readonly<Record<string, string>>) => Promise<string>;
}

/** Why there is none, in words, where python3 or the package index isn't there. */
export async function pythonWith(packages: readonly string[]): Promise<Python | string> {
  const digest = createHash('sha256').update(packages.join('\n')).digest('hex').slice(0, 12);
  const folder = join(tmpdir(), `roadstead-python-${process.getuid?.() ?? ''}-${digest}`);
  try {
    await access(folder).catch(() => install(packages, folder));
  } catch (error) {
    return `Python can't be tried: ${error instanceof Error ? error.message.slice(0, 300) : 'it is not there'}`;
  }
  return {
    run: async (program, env) => {
      const options = {
        env: { PATH: process.env['PATH'] ?? '', PYTHONPATH: folder, ...env },
        timeout: MINUTES_3,
      };
      return (await run('python3', ['-s', '-c', program], options)).stdout;
    },
  };
}

/** Under another name first, so that what is there is whole. */
async function install(packages: readonly string[], folder: string): Promise<void> {
  const part = await mkdtemp(`${folder}-`);
  try {
    const args = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--target', part];
    await run('python3', [...args, ...packages], { timeout: MINUTES_3 });
    await rename(part, folder).catch(async () => access(folder));
  } finally {
    await rm(part, { recursive: true, force: true });
  }
}
