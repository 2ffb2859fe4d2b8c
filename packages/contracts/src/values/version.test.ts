import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { ROADSTEAD_VERSION } from './version.ts';

const root = new URL('../../../../', import.meta.url);
const manifestOf = async (folder: string) =>
  JSON.parse(await readFile(new URL(`${folder}package.json`, root), 'utf8')) as {
    version: string;
    workspaces?: string[];
    dependencies?: Record<string, string>;
  };

test('when versions are compared, then the whole and each of its packages have the same one', async () => {
  const { version, workspaces = [] } = await manifestOf('');
  expect(ROADSTEAD_VERSION).toBe(version);
  const manifests = await Promise.all(workspaces.map((folder) => manifestOf(`${folder}/`)));
  expect(manifests.map((one) => one.version)).toEqual(workspaces.map(() => version));
  const ours = manifests.flatMap(({ dependencies = {} }) =>
    Object.entries(dependencies).filter(([name]) => name.startsWith('@roadstead/')),
  );
  expect(ours.filter(([, wanted]) => wanted !== version)).toEqual([]);
  expect(ours.length).toBeGreaterThan(10);
});
