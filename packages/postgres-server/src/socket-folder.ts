import { createHash } from 'node:crypto';
import { lstat, mkdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PostgresStartError } from './postgres-start-error.ts';

/** The name that PostgreSQL gives its socket; clients find it in the folder by this name. */
export const socketName = '.s.PGSQL.5432';

/** The shortest limit of any system (macOS), in bytes without the closing zero. */
const longest_socket_path = 103;

/**
 * Makes a 0700 folder for sockets: below `folder`, or, when that path is too long or its file system
 * has no sockets, below the system's temporary folder.
 * @throws PostgresStartError when no place is suitable.
 */
export async function makeSocketFolder(folder: string): Promise<string> {
  const hash = createHash('sha256').update(folder).digest('hex').slice(0, 12);
  const spare = `roadstead-${process.getuid?.() ?? 0}-${hash}`;
  const candidates = [join(folder, 'socket'), join(tmpdir(), spare), join('/tmp', spare)];
  for (const candidate of candidates) {
    if (isSuitableSocketPath(candidate) && (await makeOwnFolder(candidate)) && (await canListen(candidate))) {
      return candidate;
    }
  }
  throw new PostgresStartError(
    `No place for sockets could be made (${candidates.join(', ')}); choose a data folder with a shorter path.`,
  );
}

/**
 * PostgreSQL parses a list of folders here: a comma separates, a quote quotes, and `@` marks a socket without a file.
 */
export const isSuitableSocketPath = (folder: string) =>
  Buffer.byteLength(join(folder, socketName)) <= longest_socket_path && !/[,"]|^@/.test(folder);

/**
 * In a folder that everybody can write to, somebody else may have created the path first: a link, or a folder of
 * theirs.
 */
async function makeOwnFolder(folder: string): Promise<boolean> {
  try {
    await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    const found = await lstat(folder);
    return found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0;
  } catch {
    return false;
  }
}

async function canListen(folder: string): Promise<boolean> {
  const path = join(folder, `.probe-${process.pid}`);
  if (Buffer.byteLength(path) > longest_socket_path) return false;
  await rm(path, { force: true });
  const server = createServer();
  const listening = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(path, () => resolve(true));
  });
  if (listening) await server[Symbol.asyncDispose]();
  return listening;
}
