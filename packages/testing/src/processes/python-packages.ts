import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { kept } from './kept.ts';

/** Python with packages, for programs of its users; installed once for all tests. */

const run = promisify(execFile);
const MINUTES_3 = 180_000;
/** A program that hangs ends before its test is given up. */
export const HUNG_MS = 20 * 60_000;

export interface Python {
  /** What `python3 -s` has to find in its environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Runs a program and answers what it wrote. @throws with what it wrote, where it fails. */
  readonly run: (program: string, env: Readonly<Record<string, string>>) => Promise<string>;
}

/** Why there is none, in words, where python3 or the package index isn't there. */
export async function pythonWith(packages: readonly string[]): Promise<Python | string> {
  const digest = createHash('sha256').update(packages.join('\n')).digest('hex').slice(0, 12);
  try {
    const folder = await kept(`python-${digest}`, (part) => install(packages, part));
    const found = { PATH: process.env['PATH'] ?? '', PYTHONPATH: folder };
    return {
      env: found,
      run: async (program, env) => {
        const options = { env: { ...found, ...env }, timeout: HUNG_MS };
        return (await run('python3', ['-s', '-c', program], options)).stdout;
      },
    };
  } catch (error) {
    return `Python can't be tried: ${error instanceof Error ? error.message.slice(0, 300) : 'it is not there'}`;
  }
}

/** Only what is imported is worth compiling. */
function install(packages: readonly string[], folder: string): Promise<unknown> {
  const args = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-compile'];
  return run('python3', [...args, '--target', folder, ...packages], { timeout: MINUTES_3 });
}
