import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

const CACHE = join(homedir(), '.cache', 'roadstead-tests');

/**
 * A folder that is made once for all runs, as it takes long: programs of others, installed or built.
 * @param make fills a folder that gets its name afterwards, so that what is there is whole.
 */
export async function kept(name: string, make: (part: string) => Promise<unknown>): Promise<string> {
  const folder = join(CACHE, name);
  await access(folder).catch(async () => {
    await mkdir(CACHE, { recursive: true });
    const part = await mkdtemp(`${folder}-`);
    try {
      await make(part);
      // Another run may have made it meanwhile.
      await rename(part, folder).catch(async () => access(folder));
    } finally {
      await rm(part, { recursive: true, force: true });
    }
  });
  return folder;
}
