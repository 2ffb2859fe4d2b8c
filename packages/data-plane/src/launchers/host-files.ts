import { lchown, lstat, readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostProgram } from '@roadstead/agent-server';
import { showable, sortPaths } from '@roadstead/fence';
import { Problem } from '@roadstead/kit';
import { isOfImage } from '../ports/command-place.ts';
import { clashesOf } from './host-container.ts';

/** As root, user code is the user that owns nothing (nobody). */
const NOBODY = 65_534;

/** Who a host is in its container: this process's own user, and never root. */
export function containerUser(): {
  readonly name: string;
  readonly uid: number;
  readonly given: number | undefined;
} {
  const [uid = NOBODY, gid = NOBODY] = [process.getuid?.(), process.getgid?.()];
  return uid === 0
    ? { name: `${NOBODY}:${NOBODY}`, uid: NOBODY, given: NOBODY }
    : { name: `${uid}:${gid}`, uid, given: undefined };
}

/**
 * The paths that a program reads, as the fence would show them, and where links among them lead; and its command by the real path.
 * @throws Problem where an image has something else in that place
 */
export async function readsFor(
  { command: [program, ...args], reads }: Pick<HostProgram['program'], 'command' | 'reads'>,
  hidden: string,
): Promise<Pick<HostProgram['program'], 'command' | 'reads'>> {
  const { folders, files } = showable(sortPaths(reads), [hidden]);
  const named = [...folders, ...files];
  const shown = [...named, ...(await Promise.all(named.map((path) => realpath(path))))];
  const [clash] = clashesOf(shown);
  if (clash !== undefined)
    throw new Problem('invalid', `it reads ${clash}, which a container has of its image`, {
      hint: 'Have the Python of the project brought by uv, instead of that of the system.',
    });
  // One that is not of this machine is found by its name in the image.
  const started = isOfImage(program) ? program : await realpath(program);
  return { command: [started, ...args], reads: shown };
}

/**
 * Makes a folder and all in it a user's, unless it is already. Links are not followed; files that others have, too, by hard links stay
 * theirs.
 * @param of `is_partly_given`: what is in a folder of the user's may be another's
 */
// oxlint-disable-next-line roadstead/two-positional -- what, to whom, and how
export async function giveFolder(
  path: string,
  user: number | undefined,
  { is_partly_given = false } = {},
): Promise<void> {
  if (user === undefined) return;
  const found = await lstat(path);
  if ((found.uid === user && !is_partly_given) || (found.isFile() && found.nlink > 1)) return;
  if (found.isDirectory())
    for (const name of await readdir(path)) await giveFolder(join(path, name), user, { is_partly_given });
  // Last, so that one that was not whole is done again.
  if (found.uid !== user) await lchown(path, user, user);
}
