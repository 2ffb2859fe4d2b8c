import { readlink, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

/** The first of these links that leads out of the folder. */
export async function firstLinkOut(
  folder: string,
  { links, signal }: { readonly links: readonly string[]; readonly signal?: AbortSignal | undefined },
): Promise<string | undefined> {
  for (const link of links) {
    signal?.throwIfAborted();
    if (await leadsOut(folder, join(folder, link))) return link;
  }
  return undefined;
}

/** Whether a link leads out of the folder that it is in, by its text or by the links on its way. */
export async function leadsOut(folder: string, link: string): Promise<boolean> {
  const target = await readlink(link);
  if (isAbsolute(target) || !isInside(folder, resolve(dirname(link), target))) return true;
  return climbsBehindName(target) && (await realPathInside(folder, link)) === undefined;
}

/** After a name, `..` climbs from wherever that name leads, which may be a link as well. */
function climbsBehindName(target: string): boolean {
  const parts = target.split('/').filter((part) => part !== '' && part !== '.');
  return parts.some((part, at) => part === '..' && at > 0 && parts[at - 1] !== '..');
}

/** The real target of a path; undefined when it does not exist, or is outside the folder. */
export async function realPathInside(folder: string, path: string): Promise<string | undefined> {
  const [root, found] = await Promise.all([realpath(folder), realpath(path).catch(() => undefined)]);
  return found !== undefined && isInside(root, found) ? found : undefined;
}

function isInside(folder: string, path: string): boolean {
  const at = relative(folder, path);
  return !isAbsolute(at) && at !== '..' && !at.startsWith(`..${sep}`);
}
