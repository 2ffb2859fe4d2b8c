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
])('when a process with %i failures ran for %i ms, then its failures are %i', (failures, ran_ms, after) => {
  expect(failuresAfter(failures, ran_ms)).toBe(after);
});

test.each([
  [0, 100],
  [1, 200],
  [4, 1600],
  [7, 10_000],
  [1000, 10_000],
])('when it has failed %i times, then it is started again in %i ms', (failures, after_ms) => {
  expect(restartAfterMs(failures)).toBe(after_ms);
});

test('when a data plane ends or can’t be started, then it is tried again, unless it was stopped', async () => {
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

test('when a data plane refuses its settings, then its reason is shown and it stays down', async () => {
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
