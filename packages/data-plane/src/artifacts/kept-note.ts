import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomToken } from '@roadstead/kit';

/** The JSON of a note; undefined where there is none, or its disk lost a part. */
export async function readNote(path: string): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch(() => '');
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * Writes a note as JSON, complete or not at all.
 * @param making a folder on the same disk, where it is written first: several may write one note at once
 */
export async function writeNote(
  path: string,
  { making, value }: { readonly making: string; readonly value: unknown },
): Promise<void> {
  const unfinished = join(making, randomToken(9));
  try {
    await writeFile(unfinished, JSON.stringify(value), { mode: 0o600 });
    await rename(unfinished, path);
  } finally {
    await rm(unfinished, { force: true });
  }
}
