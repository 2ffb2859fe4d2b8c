import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createLog } from '@roadstead/kit';
import { DataPlaneProcess, failuresAfter, restartAfterMs } from './data-plane-process.ts';

test.each([
  [0, 0, 1],
  [3, 9_999, 4],
  [3, 10_001, 0],
])('after %i failures, running for %i ms makes %i', (failures, ran_ms, after) => {
  expect(failuresAfter(failures, ran_ms)).toBe(after);
});

test.each([
  [0, 100],
  [1, 200],
  [4, 1600],
  [7, 10_000],
  [1000, 10_000],
])('after %i failures it is started again in %i ms', (failures, after_ms) => {
  expect(restartAfterMs(failures)).toBe(after_ms);
});

test('one that can not be started is tried again, and so is one that ended; a stopped one is not', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'roadstead-child-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const [program, starts] = [join(folder, 'program'), join(folder, 'starts')] as const;
  const [said, lines]: [string[], string[]] = [[], []];
  const started = async () => (await readFile(starts, 'utf8').catch(() => '')).length;
  {
    await using _child = new DataPlaneProcess({
      command: [program],
      environment: { PATH: process.env['PATH'] },
      secrets: { KEY: 'secret' },
      log: createLog({ level: 'error', write: (line) => said.push(line) }),
      onLog: (line) => lines.push(line),
    });
    await expect.poll(() => said.filter((line) => line.includes('ENOENT')).length).toBe(2);
    await writeFile(program, `#!/bin/sh\nprintf x >> ${starts}\necho hello >&2\n`, { mode: 0o755 });
    await expect.poll(started).toBe(2);
    await writeFile(program, `#!/bin/sh\nprintf x >> ${starts}\nexec cat\n`, { mode: 0o755 });
    await expect.poll(started).toBe(3);
    expect(lines).toContain('hello\n');
  }
  expect(await started()).toBe(3);
});

test('a data plane that refuses its settings is not started again, and its reason is shown', async () => {
  const script = 'read -r secrets; printf \'{"refused":"%s is unusable"}\\n\' "${#secrets}"; exit 78';
  const said: string[] = [];
  await using child = new DataPlaneProcess({
    command: ['/bin/sh', '-c', script],
    environment: {},
    secrets: { KEY: 'secret' },
    log: createLog({ level: 'error', write: (line) => said.push(line) }),
    onLog: () => undefined,
  });
  expect(await child.refused).toMatchObject({ kind: 'invalid', message: '16 is unusable' });
  await expect.poll(() => said.join()).toContain('can not start');
});
