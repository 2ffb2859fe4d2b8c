import { readFile, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';

/** Where tests keep their folders: in memory where there is plenty, since a disk takes longer for each commit and file. */

const MEMORY = '/dev/shm';
/** What a whole run has at a time, with room to spare. */
const NEEDED_GB = 8;
const GB = 1024 ** 3;

/** A test kills processes, never the machine: what it needs to find again is there as well as on a disk. */
export async function temporaryRoot(): Promise<string> {
  return (await isRoomy().catch(() => false)) ? MEMORY : tmpdir();
}

async function isRoomy(): Promise<boolean> {
  const mount = (await readFile('/proc/mounts', 'utf8'))
    .split('\n')
    .find((line) => line.includes(` ${MEMORY} `));
  // What agents install is executed there.
  if (mount === undefined || mount.split(' ')[3]?.split(',').includes('noexec') !== false) return false;
  const { bavail, bsize } = await statfs(MEMORY);
  const [, available] = /^MemAvailable: +(\d+) kB$/m.exec(await readFile('/proc/meminfo', 'utf8')) ?? [];
  return Math.min(bavail * bsize, Number(available) * 1024) > NEEDED_GB * GB;
}
