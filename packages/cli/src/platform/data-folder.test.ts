import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openDataFolder } from './data-folder.ts';

async function home(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'roadstead-folder-'));
  onTestFinished(() => rm(path, { recursive: true, force: true, maxRetries: 5 }));
  return path;
}

/** Opens the folder in a process of its own at a moment, reports the result, and holds it until it is killed. */
const script = `
  const { openDataFolder } = await import(${JSON.stringify(new URL('data-folder.ts', import.meta.url).href)});
  while (Date.now() < Number(process.argv[2]));
  const said = await openDataFolder(process.argv[1]).then(() => 'opened', (error) => error.sentence);
  process.stdout.write(said + '\\n');
  setInterval(() => {}, 1000);`;

function opener(path: string, at_ms = 0, env: Record<string, string> = {}) {
  const child: ChildProcess = spawn(
    process.execPath,
    ['--input-type=module', '--eval', script, path, String(at_ms)],
    { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  const said = new Promise<string>((resolve) =>
    child.stdout?.on('data', (bytes: Buffer) => resolve(bytes.toString().trim())),
  );
  return { said, child };
}

test('when several start on one folder at one moment, then exactly one gets it', async () => {
  const path = join(await home(), 'data');
  const at_ms = Date.now() + 3000;
  const all = await Promise.all(Array.from({ length: 8 }, () => opener(path, at_ms).said));
  expect(all.filter((said) => said === 'opened')).toHaveLength(1);
  const refused = `Another Roadstead runs on the data folder ${path}; stop it first, or set ROADSTEAD_DATA_DIR.`;
  expect(all.filter((said) => said === refused)).toHaveLength(7);
});

test('when a folder is reached another way, then the lock is the same, and dies with its process', async () => {
  const root = await home();
  const [path, link, elsewhere] = [join(root, 'data'), join(root, 'link'), join(root, 'tmp')] as const;
  await mkdir(elsewhere);
  const first = opener(path, 0, { TMPDIR: elsewhere });
  expect(await first.said).toBe('opened');
  await symlink(path, link);
  await expect(openDataFolder(link)).rejects.toThrow('Another Roadstead runs');
  first.child.kill('SIGKILL');
  await once(first.child, 'exit');
  await using folder = await openDataFolder(link);
  expect(folder.path).toBe(link);
  expect(await readdir(elsewhere)).toEqual([]);
});

test('when a data folder is disposed of, then it is free again and its sockets are gone', async () => {
  const path = join(await home(), 'data');
  const folder = await openDataFolder(path);
  expect((await stat(folder.sockets)).mode & 0o777).toBe(0o700);
  await expect(openDataFolder(path)).rejects.toThrow('Another Roadstead runs');
  await folder[Symbol.asyncDispose]();
  expect((await readdir(path)).toSorted()).toEqual(['lock', 'logs']);
  await using _again = await openDataFolder(path);
});

test('when a path is too long for a socket, then its sockets lie elsewhere', async () => {
  const path = join(await home(), 'x'.repeat(100));
  await using folder = await openDataFolder(path);
  expect(Buffer.byteLength(folder.sockets)).toBeLessThan(90);
  expect(await readdir(folder.sockets)).toEqual([]);
});
