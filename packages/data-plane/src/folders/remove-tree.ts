import { execFile } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';

/** The folders where systems keep their own programs. */
export const SYSTEM_PATH = '/usr/bin:/bin:/run/current-system/sw/bin';
const TRIES = 10;
const RETRY_MS = 50;

/**
 * Removes a folder and everything in it, if it exists. Builds and agents may have written millions of files, or
 * folders deeper than any path is long: the system's own program handles that without holding our event loop.
 */
export async function removeTree(path: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await promisify(execFile)('rm', ['-rf', '--', path], { cwd: '/', env: { PATH: SYSTEM_PATH } });
      return;
    } catch (error) {
      // Writes that began before the end of their process may still be under way.
      if (tries === TRIES) throw error;
      await setTimeout(RETRY_MS);
    }
  }
}
