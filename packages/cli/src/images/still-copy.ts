import { chmod, copyFile, lstat, lutimes, mkdir, readdir, readlink, symlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';

export interface StillCopy {
  readonly from: string;
  readonly to: string;
  /** The time that all of it has, in seconds since 1970. */
  readonly time_s: number;
  /** Whether a file or folder is left out. @param path below `from`; empty for that itself */
  readonly isLeftOut?: (path: string) => boolean;
}

const EXECUTABLE = 0o111;

/** Copies a folder or a file so that the same content always gives the same copy: rights and times are the same for all. Links stay links. */
export async function copyStill(
  { from, to, time_s, isLeftOut = () => false }: StillCopy,
  path = '',
): Promise<void> {
  const [source, target] = [join(from, path), join(to, path)];
  const found = await lstat(source);
  if (found.isSymbolicLink()) {
    await symlink(await readlink(source), target);
    return await lutimes(target, time_s, time_s);
  }
  if (found.isFile()) {
    await copyFile(source, target);
    await chmod(target, (found.mode & EXECUTABLE) === 0 ? 0o644 : 0o755);
    return await utimes(target, time_s, time_s);
  }
  if (!found.isDirectory()) return;
  await mkdir(target, { recursive: true });
  for (const name of (await readdir(source)).toSorted()) {
    const below = path === '' ? name : `${path}/${name}`;
    if (!isLeftOut(below)) await copyStill({ from, to, time_s, isLeftOut }, below);
  }
  await chmod(target, 0o755);
  await utimes(target, time_s, time_s);
}
