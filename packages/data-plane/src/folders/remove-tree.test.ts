import { execFileSync } from 'node:child_process';
import { access, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { longestHold, useFolderPerTest } from '@roadstead/testing';
import { removeTree } from './remove-tree.ts';

const folder = useFolderPerTest('tree-');

/** Runs a shell script in a new folder. */
async function made(script: string): Promise<string> {
  const tree = join(folder(), 'tree');
  await mkdir(tree);
  execFileSync('/bin/sh', ['-c', script], { cwd: tree });
  return tree;
}

test('when a hundred thousand files are removed, then the event loop is not held', async () => {
  const tree = await made('seq 100000 | xargs touch');
  expect(await longestHold(() => removeTree(tree))).toBeLessThan(100);
  await expect(access(tree)).rejects.toThrow('ENOENT');
});

test('when folders are deeper than a path may be long, then they are removed', async () => {
  const name = 'd'.repeat(200);
  const tree = await made(`for i in $(seq 30); do mkdir ${name} && cd -P ${name} || exit 1; done`);
  await removeTree(tree);
  await expect(access(tree)).rejects.toThrow('ENOENT');
});

test('when nothing is there, then it counts as removed; a name with a dash is no option', async () => {
  await removeTree(join(folder(), 'never'));
  await writeFile(join(folder(), '-file'), '');
  await removeTree(join(folder(), '-file'));
  await expect(access(join(folder(), '-file'))).rejects.toThrow('ENOENT');
});
