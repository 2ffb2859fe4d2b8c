import { expect, test } from 'vitest';
import {
  type Cgroup,
  foldersAbove,
  groupMount,
  limitFiles,
  oomKills,
  ownGroup,
  planCgroup,
} from './cgroup-rules.ts';

const group = (change: Partial<Cgroup> = {}): Cgroup => ({
  path: '/g/own',
  is_writable: true,
  controllers: ['cpu', 'memory', 'pids'],
  given: [],
  has_processes: true,
  ...change,
});
const above = group({ path: '/g', has_processes: false });

test.each<[string, Cgroup[], object]>([
  ['no control groups', [], { kind: 'unusable', why: expect.stringContaining('no control groups') }],
  ['none that is delegated', [group({ is_writable: false })], { why: expect.stringContaining('delegated') }],
  [
    'one that holds processes and gives nothing',
    [group()],
    { why: expect.stringContaining('holds processes') },
  ],
  ['one without memory', [group({ controllers: ['pids'], has_processes: false })], { kind: 'unusable' }],
  [
    'an empty one above ours (DelegateSubgroup of systemd)',
    [group(), above],
    { kind: 'usable', path: '/g', to_give: ['memory', 'cpu'], limits_cpu: true },
  ],
  [
    'one above ours that gives already',
    [group(), { ...above, given: ['memory', 'pids'], controllers: ['memory', 'pids'] }],
    { kind: 'usable', path: '/g', to_give: [], limits_cpu: false },
  ],
  [
    'ours at the top, which may hold processes and give all the same',
    [group({ given: ['memory', 'cpu'] })],
    { kind: 'usable', path: '/g/own', to_give: [], limits_cpu: true },
  ],
  [
    'one above ours that belongs to others',
    [group(), { ...above, is_writable: false }],
    { kind: 'unusable' },
  ],
])('when groups are looked at, then the plan fits them: %s', (_what, groups, plan) => {
  expect(planCgroup(groups)).toMatchObject(plan);
});

const mountinfo = [
  '30 23 0:26 / /sys/fs/cgroup/memory rw,nosuid - cgroup cgroup rw,memory',
  '41 31 0:38 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw',
].join('\n');

test('when the kernel tells of groups, then their mount and our own group are read', () => {
  expect(groupMount(mountinfo)).toEqual({ path: '/sys/fs/cgroup', top: '/' });
  expect(groupMount('1 2 0:1 / / rw - ext4 /dev/sda rw')).toBeUndefined();
  expect(ownGroup('4:memory:/x\n0::/user.slice/a.scope\n')).toBe('/user.slice/a.scope');
  expect(ownGroup('4:memory:/x\n')).toBeUndefined();
});

test.each([
  ['/', '/a/b', ['/g/a/b', '/g/a', '/g']],
  ['/', '/', ['/g']],
  ['/pod', '/pod/a', ['/g/a', '/g']],
  ['/pod', '/pods/a', []],
])('when the top is %s, then the folders of %s and of those above are %j', (top, own, folders) => {
  expect(foldersAbove({ path: '/g', top }, own)).toEqual(folders);
});

test('when limits are set, then they are written as the kernel reads them', () => {
  const memory = [
    ['memory.max', '268435456'],
    ['memory.swap.max', '0'],
    ['memory.oom.group', '1'],
  ];
  expect(limitFiles({ memory_mb: 256, cpus: undefined }, true)).toEqual(memory);
  expect(limitFiles({ memory_mb: 256, cpus: 0.5 }, true)).toEqual([...memory, ['cpu.max', '50000 100000']]);
  expect(limitFiles({ memory_mb: 256, cpus: 0.5 }, false)).toEqual(memory);
  expect([oomKills('low 0\noom 2\noom_kill 3\n'), oomKills('')]).toEqual([3, 0]);
});
