import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { useFolderPerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { writeWhole } from './write-whole.ts';

const folder = useFolderPerTest('whole-');

test('when several write one file at once, then each succeeds, and the text is one of theirs', async () => {
  const path = join(folder(), 'note');
  const texts = Array.from({ length: 50 }, (_, at) => String(at).repeat(1000));
  await Promise.all(texts.map((text) => writeWhole(path, text)));
  expect(texts).toContain(await readFile(path, 'utf8'));
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(folder())).toEqual(['note']);
});

test('when a file can’t be written, then nothing of it is left', async () => {
  await mkdir(join(folder(), 'note'));
  await mkdir(join(folder(), 'making'));
  for (const making of [folder(), join(folder(), 'making')])
    await expect(writeWhole(join(folder(), 'note'), 'text', { making })).rejects.toThrow();
  expect((await readdir(folder(), { recursive: true })).toSorted()).toEqual(['making', 'note']);
});
