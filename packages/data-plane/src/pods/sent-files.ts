import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { packedFiles } from '@roadstead/archives';

/** Light, as networks of clusters are about as quick. */
const LEVEL = 1;

/** Files and folders of this machine with all that is in them, as gzip tar whose paths begin at the root. */
export async function* sentFiles(paths: readonly string[]): AsyncGenerator<Uint8Array> {
  const all: string[] = [];
  for (const path of paths) for await (const found of treeOf(path)) all.push(found.slice(1));
  yield* packedFiles({ folder: '/', paths: all, level: LEVEL });
}

async function* treeOf(path: string): AsyncGenerator<string> {
  yield path;
  if (!(await lstat(path)).isDirectory()) return;
  for await (const { name } of await opendir(path, { bufferSize: 1000 })) yield* treeOf(join(path, name));
}
