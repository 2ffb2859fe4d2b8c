/**
 * Fetches the files of a graph host into a folder of its pod: those that the data plane sends, and those of this image that the host's own
 * lacks. Arguments: the folder, and as JSON the paths of the latter.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { reach, reachVariables } from './reach.ts';

/** How often an unreachable data plane is tried again, for a minute. */
const TRIES = 60;
const AGAIN_MS = 1000;

const [folder = '', of_image = '[]'] = process.argv.slice(2);
const { [reachVariables.token]: token = '' } = process.env;

async function fetchSent(): Promise<void> {
  const connection = await reach();
  connection.write(`${JSON.stringify({ token, connection: 'files' })}\n`);
  const tar = spawn('tar', ['-xzf', '-', '-C', folder, '--no-same-owner'], {
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  const ended = once(tar, 'close') as Promise<[number | null]>;
  await pipeline(connection, tar.stdin);
  const [code] = await ended;
  if (code !== 0) throw new Error(`tar ended with ${code}`);
}

async function untilFetched(): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await fetchSent();
    } catch (error) {
      if (tries === TRIES) throw error;
    }
    await pause(AGAIN_MS);
  }
}

await untilFetched();
for (const path of JSON.parse(of_image) as string[]) {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await cp(path, join(folder, path), { recursive: true, verbatimSymlinks: true });
}
