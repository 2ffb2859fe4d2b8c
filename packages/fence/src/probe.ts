import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readLines } from '@roadstead/kit';
import type { Fence } from './fence.ts';

export interface ProbeFolders {
  /** A file that a fenced program must not see. */
  readonly secret: string;
  /** A folder that it may write to. */
  readonly writes: string;
}

/**
 * Shell lines that run where agents will, and try what agents must not be able to do. Each prints what it managed to
 * do.
 */
const ALWAYS = `test "$(id -u)" != 0 || exec echo 'it runs as root'`;
const APART = `
cat "$1" >/dev/null 2>&1 && exec echo 'it reads the data folder'
test "$(ls -d /proc/[0-9]* | wc -l)" -lt 12 || exec echo 'it sees processes of others'
mkdir /roadstead-probe 2>/dev/null && exec echo 'it writes to the root folder'
mkdir /usr/roadstead-probe 2>/dev/null && exec echo 'it writes to the system'
`;
const HELD = `echo held > "$2/probe"`;

/** Answers in words why a fence does not hold; undefined when it does. */
export async function probe(fence: Fence, { secret, writes }: ProbeFolders): Promise<string | undefined> {
  const script = [ALWAYS, fence.isolation === 'none' ? '' : APART, HELD].join('\n');
  const started = fence.start({
    command: ['/bin/sh', '-c', script, 'sh', secret, writes],
    cwd: writes,
    environment: { PATH: '/usr/bin:/bin' },
    reads: [],
    writes: [writes],
    home: writes,
    pipes: 2,
  });
  const lines: string[] = [];
  for (const stream of [started.child.stdout, started.child.stderr])
    if (stream !== null) readLines(stream, { onLine: (line) => lines.push(line) });
  const late = setTimeout(() => started.kill(), PROBE_MS);
  const ended = await started.ended;
  clearTimeout(late);
  const held = await readFile(join(writes, 'probe'), 'utf8').catch(() => '');
  if (held === 'held\n' && ended.kind === 'exited' && ended.code === 0) return undefined;
  return lines.join('; ') || JSON.stringify(ended);
}

const PROBE_MS = 20_000;
