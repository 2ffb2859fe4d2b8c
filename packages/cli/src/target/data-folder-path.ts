import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of all data: named by the environment, else `.roadstead` of the checkout, else of the home folder. */
export function dataFolderOf(named: string | undefined): string {
  if (named !== undefined) return resolve(named);
  const checkout = fileURLToPath(new URL('../../../../', import.meta.url));
  return existsSync(join(checkout, 'bin', 'install.mjs'))
    ? join(checkout, '.roadstead')
    : join(homedir(), '.roadstead');
}

/** The key that a platform of this machine generated for its first client. */
export async function readKeyFile(folder: string): Promise<string | undefined> {
  return (await readFile(join(folder, 'api-key'), 'utf8').catch(() => undefined))?.trim();
}
