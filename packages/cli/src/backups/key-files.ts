import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem } from '@roadstead/kit';

/** The files of a data folder without which its databases can't be read. */
const NAMES = [
  'api-key',
  'workspace-id',
  'secret-key',
  'signing-key',
  'address-secret',
  'listener-id',
  'databases-key',
];

/** Their texts, as they are; undefined where the folder has none. */
export async function readKeyFiles(folder: string): Promise<Record<string, string> | undefined> {
  const found: Record<string, string> = {};
  for (const name of NAMES) {
    const text = await readFile(join(folder, name), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
    if (text !== undefined) found[name] = text;
  }
  return Object.keys(found).length === 0 ? undefined : found;
}

/** @throws Problem `conflict` where the folder has other ones, before anything is written */
export async function writeKeyFiles(folder: string, keys: Readonly<Record<string, string>>): Promise<void> {
  const there = (await readKeyFiles(folder)) ?? {};
  for (const [name, text] of Object.entries(keys))
    if (there[name] !== undefined && there[name] !== text)
      throw new Problem('conflict', `The data folder ${folder} has a key of its own (${name}).`, {
        hint: 'A backup is restored into an empty data folder; set ROADSTEAD_DATA_DIR.',
      });
  for (const [name, text] of Object.entries(keys)) {
    if (there[name] !== undefined || !NAMES.includes(name)) continue;
    // Whole or absent.
    const path = join(folder, name);
    {
      await using file = await open(`${path}.new`, 'w', 0o600);
      await file.writeFile(text);
      await file.sync();
    }
    await rename(`${path}.new`, path);
  }
}
