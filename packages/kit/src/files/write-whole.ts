import { randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Writes a file that only we may read: readers see the old text or the new one, and several may write it at once. A
 * power cut may lose it.
 * @param making the folder on the same disk where it is written first; what a killed process leaves stays there
 */
export async function writeWhole(
  path: string,
  text: string,
  { making = dirname(path) }: { readonly making?: string } = {},
): Promise<void> {
  const unfinished = join(making, `.${randomUUID()}`);
  try {
    await writeFile(unfinished, text, { mode: 0o600 });
    await rename(unfinished, path);
  } finally {
    await rm(unfinished, { force: true });
  }
}
