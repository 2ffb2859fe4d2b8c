import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openLogFile } from './log-file.ts';

async function home(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'roadstead-log-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

test('when much is logged, then two files of a size keep the newest lines, whole and in order', async () => {
  const folder = await home();
  const path = join(folder, 'platform.log');
  const lines = Array.from({ length: 1000 }, (_, at) => `line ${at} ü\n`);
  {
    using first = openLogFile(path, 1000);
    for (const line of lines.slice(0, 500)) first.write(line);
  }
  using second = openLogFile(path, 1000);
  for (const line of lines.slice(500)) second.write(line);
  expect((await readdir(folder)).toSorted()).toEqual(['platform.log', 'platform.log.1']);
  const kept = (await readFile(`${path}.1`, 'utf8')) + (await readFile(path, 'utf8'));
  expect(kept.length).toBeGreaterThan(1000);
  expect(lines.join('').endsWith(kept)).toBe(true);
  for (const name of [path, `${path}.1`]) {
    const { size, mode } = await stat(name);
    expect(size).toBeLessThanOrEqual(1000);
    expect(mode & 0o777).toBe(0o600);
  }
});

test('when write returns, then its line is in the file, or lost if there is nowhere to write', async () => {
  const folder = await home();
  const path = join(folder, 'platform.log');
  const file = openLogFile(path, 10);
  file.write('longer than the file may be\n');
  expect(await readFile(path, 'utf8')).toBe('longer than the file may be\n');
  await rm(folder, { recursive: true });
  file.write('nowhere\n');
  file.write('nowhere\n');
  file[Symbol.dispose]();
  file.write('too late\n');
});
