import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openFolderBlobs } from '@roadstead/blobs';
import { useFolderPerTest } from '@roadstead/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { runCommandLine } from '../command-line/command-line.ts';
import { openTerminal } from '../terminal/terminal.ts';
import { blobs } from './blobs.ts';

const folder = useFolderPerTest('moved-');
const [from, to] = [() => join(folder(), 'from'), () => join(folder(), 'to')];
beforeEach(async () => {
  vi.stubEnv('ROADSTEAD_FORMER_BLOBS_URL', `file:${from()}`);
  vi.stubEnv('ROADSTEAD_BLOBS_URL', `file:${to()}`);
  await mkdir(from());
  for (const store of ['blobs', 'attachments']) {
    const opened = await openFolderBlobs(join(from(), store));
    await opened.put(new Blob([store]).stream(), { max_bytes: 20 });
  }
});
afterEach(() => vi.unstubAllEnvs());

async function run(...args: string[]) {
  const said = { stdout: '', stderr: '' };
  const into = (name: keyof typeof said) => ({
    isTTY: false,
    write: (text: string | Uint8Array) => ((said[name] += String(text)), true),
  });
  const streams = { stdin: { isTTY: false }, stdout: into('stdout'), stderr: into('stderr') };
  const status = await runCommandLine(['blobs', 'move', ...args], {
    commands: [blobs],
    version: '0',
    openTerminal: (quiet) => openTerminal({ no_color: true, quiet }, streams),
  });
  return { status, ...said };
}

const files = async (place: string) =>
  (await readdir(place, { recursive: true })).filter((path) => /[0-9a-f]{64}$/.test(path)).toSorted();

test('when blobs are moved, then all stores are copied, and emptied only where that is said', async () => {
  const before = await files(from());
  expect(await run('--json')).toMatchObject({
    status: 0,
    stdout: `${JSON.stringify({ copied: 2, bytes: 16, removed: 0, damaged: [] })}\n`,
  });
  expect([await files(from()), await files(to())]).toEqual([before, before]);
  expect((await run('--remove')).stdout).toBe('0 copied, 0 MB; 2 removed from the former place.\n');
  expect([before.length, await files(from()), await files(to())]).toEqual([2, [], before]);
});

test.each(['ROADSTEAD_BLOBS_URL', 'ROADSTEAD_FORMER_BLOBS_URL'])(
  'when %s is unset, then nothing is moved, and it is asked for',
  async (name) => {
    vi.stubEnv(name, '');
    const { status, stderr } = await run('--remove');
    expect([status, stderr]).toEqual([1, expect.stringContaining(`${name} is needed`)]);
    expect(await files(from())).toHaveLength(2);
  },
);
