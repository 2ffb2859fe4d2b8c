import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { useFolder } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { pythonVersions } from './python-runtime.ts';

const folder = useFolder('roadstead-versions-');

async function artifact(name: string, record?: string): Promise<string> {
  const path = join(folder(), name);
  await mkdir(join(path, '.roadstead'), { recursive: true });
  if (record !== undefined) await writeFile(join(path, '.roadstead', 'python.json'), record);
  return path;
}

test('when artifacts were built with Pythons, then the versions of whole ones are known', async () => {
  const record = { version: 1, python: '3.11.7', paths: [], lock: null };
  const folders = [
    await artifact('whole', JSON.stringify(record)),
    await artifact('broken', '{'),
    await artifact('without'),
  ];
  expect([...(await pythonVersions(folders))]).toEqual(['3.11.7']);
});

test('when the record of an artifact can’t be read, then nobody learns that it needs no Python', async () => {
  const loop = join(folder(), 'loop');
  await symlink('loop', loop);
  await expect(pythonVersions([loop])).rejects.toMatchObject({ code: 'ELOOP' });
});
