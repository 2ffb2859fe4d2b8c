import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { kept } from '@roadstead/testing/processes';

/** Packages of npm for programs of their users; installed once for all tests. */

const run = promisify(execFile);
const MINUTES_3 = 180_000;

/** The folder that holds `node_modules`; why there is none, in words, where the registry isn't there. */
export async function npmWith(
  dependencies: Readonly<Record<string, string>>,
): Promise<{ readonly folder: string } | string> {
  const manifest = JSON.stringify({ private: true, type: 'module', dependencies });
  const digest = createHash('sha256').update(manifest).digest('hex').slice(0, 12);
  try {
    const folder = await kept(`npm-${digest}`, async (part) => {
      await writeFile(join(part, 'package.json'), manifest);
      await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'], {
        cwd: part,
        timeout: MINUTES_3,
      });
    });
    return { folder };
  } catch (error) {
    return `npm packages can't be tried: ${error instanceof Error ? error.message.slice(0, 300) : 'npm is not there'}`;
  }
}
