import { access, constants, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

/**
 * Chooses where the data plane keeps compiled code: where this process keeps its own, so that a new data folder has
 * nothing to compile; else in the data folder. What earlier versions left in the data folder is removed once nobody reads it.
 * @param own the folder of this process's own compiled code, which Node names after its version
 */
export async function chooseCompileCache(data_folder: string, own: string | undefined): Promise<string> {
  const inside = join(data_folder, 'cache', 'node');
  if (own === undefined || !(await isWritable(own))) return inside;
  const shared = dirname(own);
  // It costs space alone: one that can't be removed must not prevent a start.
  if (relative(inside, shared).startsWith('..'))
    await rm(inside, { recursive: true, force: true }).catch(() => undefined);
  return shared;
}

/** A file of that name is no folder: it can't be entered. */
async function isWritable(folder: string): Promise<boolean> {
  return access(folder, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
}
