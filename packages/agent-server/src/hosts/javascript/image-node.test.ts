import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
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
  ['no loader of ours', { maps: STATIC, has_loader: false, version: 'v24.1.0' }, 'its --flag a b'],
  ['musl', { maps: ALPINE, has_loader: false, version: 'v24.19.0' }, 'its --flag a b'],
  ['musl beside what plays glibc', { maps: ALPINE, has_loader: true, version: 'v22.20.0' }, 'its --flag a b'],
  ['musl by a link', { maps: LINKED, has_loader: true, version: 'v22.15.0' }, 'its --flag a b'],
])('when an image has %s (%o), then its host starts as "%s"', async (_, image, started) => {
  expect(await startedIn(image)).toEqual({ started, refused: undefined, status: 0 });
});

test.each([
  ['v22.15.0', true],
  ['v22.100.0', true],
  ['v23.5.0', true],
  ['v23.11.1', true],
  ['v24.0.0', true],
  ['v100.2.3', true],
  ['v22.14.9', false],
  ['v22.9.0', false],
  ['v23.4.9', false],
  ['v20.20.0', false],
  ['v18.0.0', false],
  ['v8.17.0', false],
  ['node', false],
])('when a Node of an image with musl is %s, then it runs the host: %s', async (version, is_fit) => {
  const { started, refused, status } = await startedIn({ maps: ALPINE, has_loader: false, version });
  const sentence = `The image has Node ${version.slice(version.startsWith('v') ? 1 : 0)}. With musl, `;
  expect([started, status]).toEqual(is_fit ? ['its --flag a b', 0] : ['', 126]);
  if (is_fit) expect(refused).toBeUndefined();
  else expect(refused).toContain(sentence);
});

test('when an image with musl has no Node, then that is said', async () => {
  const { refused, status } = await startedIn({ maps: ALPINE, has_loader: false, version: undefined });
  expect([refused, status]).toEqual([expect.stringMatching(/^The image has no `node` on its PATH\./), 126]);
});

test('when this machine is asked, then our Node starts by the loader that it names', () => {
  const [shell, ...args] = chosenNode({ path: process.execPath, loader: loaderOf(process.execPath) }, [
    '-p',
    'process.execPath',
  ]);
  expect(execFileSync(shell, args, { env: {}, encoding: 'utf8' }).trim()).toBe(process.execPath);
});

test('when a program of Linux is read, then its loader is found; a script has none', async () => {
  const script = join(folder(), 'script');
  await writeFile(script, `#!/bin/sh\n${'#'.repeat(100)}\n`);
  expect(loaderOf(script)).toBeUndefined();
  if (process.platform === 'linux') expect(existsSync(loaderOf(process.execPath) ?? '')).toBe(true);
});
