import { execFileSync, spawnSync } from 'node:child_process';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { useFolder } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { chosenNode, loaderOf, refusedNode } from './image-node.ts';

const folder = useFolder('image-node-');
let count = 0;

const GLIBC = '7f0000000000-7f0000001000 r-xp 00000000 08:01 1   /usr/lib/x86_64-linux-gnu/libc.so.6';
const ALPINE = '7f0000000000-7f0000001000 r-xp 00000000 08:01 1   /lib/ld-musl-aarch64.so.1';
const LINKED = '7f0000000000-7f0000001000 r-xp 00000000 08:01 1   /usr/lib/libc.so';
const STATIC = '7f0000000000-7f0000001000 r-xp 00000000 08:01 1   /bin/busybox';

interface Image {
  /** What its shell has in memory. */
  readonly maps: string;
  readonly has_loader: boolean;
  /** The version of its Node, if it has one. */
  readonly version: string | undefined;
}

/** What is started in such an image, and how the shell ends. */
async function startedIn({ maps, has_loader, version }: Image) {
  const image = join(folder(), String((count += 1)));
  const programs = join(image, 'bin');
  await mkdir(programs, { recursive: true });
  const write = (path: string, text: string) => writeFile(path, text, { mode: 0o755 });
  const [maps_file, loader, path] = ['maps', 'loader', 'ours'].map((name) => join(image, name));
  await write(maps_file ?? '', `0-1 r--p 00000000 08:01 1   /bin/sh\n${maps}\n`);
  await write(path ?? '', '#!/bin/sh\necho ours "$@"\n');
  if (has_loader) await write(loader ?? '', '');
  if (version !== undefined)
    await write(
      join(programs, 'node'),
      `#!/bin/sh\n[ "$1" = --version ] && echo ${version} || echo its "$@"\n`,
    );
  const [shell, ...args] = chosenNode({ path: path ?? '', loader }, ['--flag', 'a b']);
  const seen = args.map((arg) => (arg === '/proc/self/maps' ? (maps_file ?? '') : arg));
  const { stdout, stderr, status } = spawnSync(shell, seen, { env: { PATH: programs }, encoding: 'utf8' });
  return { started: stdout.trim(), refused: refusedNode(stderr.trim()), status };
}

test.each<[string, Image, string]>([
  ['glibc', { maps: GLIBC, has_loader: true, version: 'v20.1.0' }, 'ours --flag a b'],
  ['glibc, and no Node', { maps: GLIBC, has_loader: true, version: undefined }, 'ours --flag a b'],
  ['a static shell', { maps: STATIC, has_loader: true, version: 'v24.1.0' }, 'ours --flag a b'],
  ['no loader of ours', { maps: STATIC, has_loader: false, version: 'v24.12.0' }, 'its --flag a b'],
  ['musl', { maps: ALPINE, has_loader: false, version: 'v24.19.0' }, 'its --flag a b'],
  ['musl beside what plays glibc', { maps: ALPINE, has_loader: true, version: 'v22.30.0' }, 'its --flag a b'],
  ['musl by a link', { maps: LINKED, has_loader: true, version: 'v22.22.3' }, 'its --flag a b'],
])('when an image has %s (%o), then its host starts as "%s"', async (_, image, started) => {
  expect(await startedIn(image)).toEqual({ started, refused: undefined, status: 0 });
});

const withMusl = (version: string | undefined) => startedIn({ maps: ALPINE, has_loader: false, version });

test.each([
  'v22.22.3',
  'v22.23.0',
  'v22.100.0',
  'v24.11.1',
  'v24.12.0',
  'v25.1.0',
  'v25.10.2',
  'v26.0.0',
  'v100.2.3',
])('when the Node of an image with musl is %s, then it runs the host', async (version) => {
  expect(await withMusl(version)).toEqual({ started: 'its --flag a b', refused: undefined, status: 0 });
});

test.each([
  'v22.22.2',
  'v22.9.10',
  'v23.11.1',
  'v24.11.0',
  'v24.0.0',
  'v25.0.9',
  'v20.20.0',
  'v18.0.0',
  'v8.17.0',
  'v26.0.0-nightly20260101',
  'v26',
  'node',
])('when the Node of an image with musl is %s, then it is refused by its version', async (version) => {
  const { started, refused, status } = await withMusl(version);
  expect([started, status]).toEqual(['', 126]);
  expect(refused).toContain(`The image has Node ${version.replace(/^v/, '')}. With musl, `);
});

test('when an image with musl has no Node, then that is said', async () => {
  const { refused, status } = await withMusl(undefined);
  expect([refused, status]).toEqual([expect.stringMatching(/^The image has no `node` on its PATH\./), 126]);
});

test('when this machine is asked, then our Node starts by the loader that it names', () => {
  const [shell, ...args] = chosenNode({ path: process.execPath, loader: loaderOf(process.execPath) }, [
    '-p',
    'process.execPath',
  ]);
  expect(execFileSync(shell, args, { env: {}, encoding: 'utf8' }).trim()).toBe(process.execPath);
});

test('when a script is read, then it has no loader', async () => {
  const script = join(folder(), 'script');
  await writeFile(script, `#!/bin/sh\n${'#'.repeat(100)}\n`);
  expect(loaderOf(script)).toBeUndefined();
});

test.runIf(process.platform === 'linux')('when our Node is read, then its loader is a file', async () => {
  expect((await stat(loaderOf(process.execPath) ?? '')).isFile()).toBe(true);
});

test('when a program is for another kind of processor, then nothing is read of it', async () => {
  const program = join(folder(), 'big-endian');
  await writeFile(
    program,
    Buffer.concat([Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 2]), Buffer.alloc(200, 7)]),
  );
  expect(loaderOf(program)).toBeUndefined();
});
