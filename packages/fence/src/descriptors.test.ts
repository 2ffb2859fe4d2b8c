import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, open, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { useFolderPerTest } from '@roadstead/testing';
import { beforeEach, expect, test } from 'vitest';
import { openFence } from './open-fence.ts';

const folder = useFolderPerTest('descriptors-');
beforeEach(() => mkdir(join(folder(), 'own')));

const { fence: best } = await openFence({
  isolation: 'auto',
  data_folder: await mkdtemp(join(tmpdir(), 'descriptors-probe-')),
  sockets: [],
});
const has_proc = process.platform === 'linux';
if (!has_proc) process.stderr.write('NOT TESTED: inherited descriptors, since there is no /proc\n');
const kinds = best.isolation === 'namespace' ? (['none', 'namespace'] as const) : (['none'] as const);

/** Lists the descriptors of a fenced shell; the last command of a script would replace the shell. */
const LIST = 'ls -l "/proc/$$/fd"; true';

/**
 * The open descriptors of a fenced program with this many pipes, started by a process that was itself started with
 * more.
 */
async function openInside(isolation: (typeof kinds)[number], pipes: 2 | 5): Promise<string[]> {
  const own = join(folder(), 'own');
  const program = `
    const { openFence } = await import(${JSON.stringify(import.meta.resolve('./open-fence.ts'))});
    const { fence } = await openFence({ isolation: '${isolation}', data_folder: ${JSON.stringify(folder())}, sockets: [] });
    const started = fence.start({
      command: ['/bin/sh', '-c', ${JSON.stringify(LIST)}],
      cwd: ${JSON.stringify(own)}, home: ${JSON.stringify(own)}, writes: [${JSON.stringify(own)}], reads: [],
      environment: { PATH: '/usr/bin:/bin' }, pipes: ${pipes},
      limits: { memory_mb: 256, cpus: undefined },
    });
    started.child.stdout.pipe(process.stdout);
    await started.ended;`;
  await writeFile(join(folder(), 'held'), 'secret');
  await using file = await open(join(folder(), 'held'));
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = (server as unknown as { _handle: { fd: number } })._handle.fd;
  const stdio = Array.from({ length: 46 }, (_, fd) =>
    fd === 1
      ? 'pipe'
      : fd === 2
        ? 'inherit'
        : [4, 20, 45].includes(fd)
          ? file.fd
          : fd === 30
            ? socket
            : 'ignore',
  );
  const parent = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio,
  });
  const said = parent.stdout === null ? '' : await text(parent.stdout);
  server.close();
  return said.split('\n').flatMap((line) => /(\d+ -> .*)$/.exec(line)?.[1] ?? []);
}

test.runIf(has_proc).each(kinds.flatMap((kind) => [[kind, 2] as const, [kind, 5] as const]))(
  'when the fence is %s, then a program with %i pipes has those open and nothing that we have',
  async (kind, pipes) => {
    const open = await openInside(kind, pipes);
    const given = open
      .filter((line) => / (pipe|socket):\[\d+\]$/.test(line))
      .map((line) => Number.parseInt(line));
    expect(given).toEqual(Array.from({ length: pipes }, (_, at) => at + 1));
    const others = open.filter((line) => !given.includes(Number.parseInt(line)));
    expect(others.filter((line) => !line.endsWith(' /dev/null'))).toEqual([]);
    // An inherited descriptor would appear here.
    expect(others.map((line) => Number.parseInt(line))).toEqual(expect.arrayContaining([0, 20, 30, 45]));
  },
);
