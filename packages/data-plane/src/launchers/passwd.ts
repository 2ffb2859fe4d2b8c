import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Writes what a container has in place of its image's `/etc/passwd`, since programs ask who they are.
 * @param user the id of the user that it runs as, where that is another one than ours
 * @returns the path
 */
export async function writePasswd(folder: string, user: number | undefined): Promise<string> {
  const uid = user ?? process.getuid?.() ?? 0;
  const path = join(folder, 'passwd');
  await writeFile(path, `root:x:0:0::/root:/bin/sh\nagent:x:${uid}:${uid}::/tmp:/bin/sh\n`, { mode: 0o644 });
  return path;
}
