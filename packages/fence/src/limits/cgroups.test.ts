import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { useFolderPerTest } from '@roadstead/testing';
import { beforeEach, expect, test } from 'vitest';
import { openCgroups } from './cgroups.ts';

/** Uses a folder that looks like a delegated group: what a kernel does with its files is not tested. */

const root = useFolderPerTest('cgroups-');
beforeEach(async () => {
  for (const folder of ['.', 'own']) {
    await mkdir(join(root(), folder), { recursive: true });
    for (const [file, text] of [
      ['cgroup.controllers', 'cpu memory pids\n'],
      ['cgroup.subtree_control', ''],
      ['cgroup.procs', folder === 'own' ? '1\n' : ''],
    ] as const)
      await writeFile(join(root(), folder, file), text);
  }
});

const proc = () => ({
  cgroup: '0::/own\n',
  mountinfo: `41 31 0:38 / ${root()} rw,nosuid - cgroup2 cgroup2 rw\n`,
});
const groups = async () => (await readdir(root())).filter((name) => name.startsWith('roadstead-'));

test('when programs start, then each gets a group of its own, below one of ours', async () => {
  const limiter = await openCgroups('/data', proc());
  if (typeof limiter === 'string') throw new Error(limiter);
  expect([limiter.kind, limiter.limits_cpu]).toEqual(['cgroup', true]);
  expect(await readFile(join(root(), 'cgroup.subtree_control'), 'utf8')).toBe('+memory +cpu');
  const [base = ''] = await groups();
  const before = await readdir(join(root(), base));
  const held = limiter.hold({ memory_mb: 64, cpus: 2 });
  const [folder] = (await readdir(join(root(), base))).filter((name) => !before.includes(name));
  expect(held.enter.at(-1)).toBe(join(root(), base, folder ?? '', 'cgroup.procs'));
  await writeFile(join(root(), base, folder ?? '', 'memory.events'), 'oom 1\noom_kill 1\n');
  expect(held.release()).toBe(true);
  expect(limiter.hold({ memory_mb: 64, cpus: undefined }).release()).toBe(false);
});

test('when a killed process of ours left a group, then it is removed first', async () => {
  await openCgroups('/data', proc());
  const [base = ''] = await groups();
  for (const left of await readdir(join(root(), base), { withFileTypes: true }))
    if (left.isDirectory()) await rm(join(root(), base, left.name), { recursive: true });
  await mkdir(join(root(), base, 'left'));
  await openCgroups('/data', proc());
  expect(await readdir(join(root(), base))).not.toContain('left');
});

test('when there are no groups, then the reason is said in words', async () => {
  expect(await openCgroups('/data', { cgroup: '4:memory:/x\n', mountinfo: '' })).toMatch(/no control groups/);
  await writeFile(join(root(), 'cgroup.controllers'), 'pids\n');
  expect(await openCgroups('/data', proc())).toMatch(/limits no memory/);
});
