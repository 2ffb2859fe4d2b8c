import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { realPathInside } from '@roadstead/archives';

/**
 * The part of a file that we read: more than any file needs, and lock files show their format in their first lines.
 */
export const MAX_FILE_BYTES = 1_048_576;

/**
 * A file of a built project; undefined where it is no regular file, such as a pipe, or a link that leads out of the
 * project.
 */
export async function projectFile(
  project: string,
  path: string,
): Promise<{ readonly path: string; readonly size: number } | undefined> {
  const found = await realPathInside(project, join(project, path));
  if (found === undefined) return undefined;
  const status = await stat(found);
  return status.isFile() ? { path: found, size: status.size } : undefined;
}

export async function beginningOf(path: string): Promise<string> {
  const chunks: string[] = [];
  for await (const chunk of createReadStream(path, { encoding: 'utf8', end: MAX_FILE_BYTES - 1 }))
    chunks.push(String(chunk));
  return chunks.join('');
}
