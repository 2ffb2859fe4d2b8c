import { expect, test } from 'vitest';
import { clashesOf, hostContainer, programContainer, withoutPrograms } from './host-container.ts';

const program = {
  command: ['/opt/node', '--flag', '/ours/host/main.js'] as [string, ...string[]],
  cwd: '/data/artifacts/abc',
  environment: { HOME: '/data/scratch/d', KEY: 'a=b\nc' },
  reads: ['/ours/host', '/ours', '/ours/host/node_modules', '/data/artifacts/abc', '/data/artifacts/abcd'],
  writes: ['/data/scratch/d'],
  home: '/data/scratch/d',
  limits: { memory_mb: 256, cpus: 0.5 },
};
const options = {
  image: 'debian:bookworm-slim',
  network: 'host',
  user: '1000:1000',
  labels: { owner: 'me' },
  door: { folder: '/tmp/door', socket: 'engine.sock', passwd: '/tmp/door/passwd', token: 'secret' },
};

test('when a host runs in a container, then it sees at the same paths what the fence shows', () => {
  const { HostConfig } = hostContainer(program, options);
  const shown = HostConfig.Mounts.map(({ Source, Target, ReadOnly }) => [Source, Target, ReadOnly]);
  expect(shown).toEqual([
    ['/data/artifacts/abc', '/data/artifacts/abc', true],
    ['/data/artifacts/abcd', '/data/artifacts/abcd', true],
    ['/opt/node', '/opt/node', true],
    ['/ours', '/ours', true],
    ['/data/scratch/d', '/data/scratch/d', false],
    ['/data/scratch/d', '/tmp', false],
    ['/tmp/door/passwd', '/etc/passwd', true],
    ['/tmp/door', '/run/roadstead', true],
  ]);
});

test('when a host runs in a container, then it gets its program, variables and where to dial', () => {
  const container = hostContainer(program, options);
  expect([container.Entrypoint, container.Cmd, container.WorkingDir]).toEqual([
    ['/opt/node'],
    ['--flag', '/ours/host/main.js'],
    '/data/artifacts/abc',
  ]);
  expect(container.Env).toEqual([
    'HOME=/data/scratch/d',
    'KEY=a=b\nc',
    'TMPDIR=/tmp',
    'ROADSTEAD_DIAL_SOCKET=/run/roadstead/engine.sock',
    'ROADSTEAD_DIAL_TOKEN=secret',
  ]);
});

test('when a host has limits, then its container has them, without swap, rights or a log', () => {
  const { User, HostConfig } = hostContainer(program, options);
  expect({ User, ...HostConfig, Mounts: [] }).toEqual({
    User: '1000:1000',
    NetworkMode: 'host',
    Mounts: [],
    Memory: 268_435_456,
    MemorySwap: 268_435_456,
    NanoCpus: 500_000_000,
    PidsLimit: 1024,
    CapDrop: ['ALL'],
    SecurityOpt: ['no-new-privileges', 'label=disable'],
    ReadonlyRootfs: true,
    Init: true,
    LogConfig: { Type: 'none' },
  });
  const unlimited = hostContainer({ ...program, limits: { memory_mb: 256, cpus: undefined } }, options);
  expect(unlimited.HostConfig.NanoCpus).toBe(0);
});

test('when a program reads what every image has, then that is told, and not what lies within', () => {
  expect(clashesOf(['/usr', '/usr/local/python', '/opt', '/'])).toEqual(['/usr', '/']);
});

test('when a program has files at other paths than here, then these are mounted there', () => {
  const moved = [{ from: '/usr/bin/node', to: '/opt/own' }];
  expect(hostContainer({ ...program, moved }, options).HostConfig.Mounts).toContainEqual({
    Type: 'bind',
    Source: '/usr/bin/node',
    Target: '/opt/own',
    ReadOnly: true,
  });
});

test('when a command of a build runs in a container, then its shell is that of the image', () => {
  const { door: _, ...place } = options;
  const command: [string, ...string[]] = ['/bin/sh', '-c', 'npm ci'];
  const { writes, home } = program;
  const build = { ...program, command, writes: [...writes, home] };
  const { HostConfig, Entrypoint, Env } = programContainer(build, { ...place, passwd: '/tmp/own/passwd' });
  expect([Entrypoint, Env]).toEqual([['/bin/sh'], ['HOME=/data/scratch/d', 'KEY=a=b\nc']]);
  expect(HostConfig.Mounts.map(({ Target }) => Target)).toEqual([
    '/data/artifacts/abc',
    '/data/artifacts/abcd',
    '/ours',
    '/data/scratch/d',
    '/tmp',
    '/etc/passwd',
  ]);
});

test('when a command would read programs of this system, then it has the image’s, but for uv', () => {
  const programs = ['/bin', '/usr/bin', '/usr/local/bin', '/usr/sbin', '/lib64', '/sbin'];
  const others = [
    '/opt/node/bin',
    '/usr/local/bin/uv',
    '/usr/lib/node_modules/npm',
    '/usr/local',
    '/usr',
    '/etc/npmrc',
  ];
  expect(withoutPrograms([...programs, ...others])).toEqual([
    ...programs.map((folder) => `${folder}/uv`),
    ...others,
  ]);
});
