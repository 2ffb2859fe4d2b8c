import { chmod, mkdir, open, readdir, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem } from '@roadstead/kit';
import { makeSocketFolder } from '@roadstead/postgres-server';
import { openLogFile } from './log-file.ts';
import { DatabaseSync } from 'node:sqlite';

export interface DataFolder extends AsyncDisposable {
  readonly path: string;
  /** A folder for sockets, whose path is short enough for them. */
  readonly sockets: string;
  /** A text that is generated once, in a file that only we may read. */
  secret(name: string, make: () => string): Promise<string>;
  /** Appends a line to the log. */
  log(line: string): void;
}

/** Makes and locks the folder: two platforms on one folder would destroy each other's data. */
export async function openDataFolder(path: string): Promise<DataFolder> {
  const found = await stat(path).catch(() => undefined);
  if (found !== undefined && !found.isDirectory())
    throw new Problem('invalid', `${path} is a file; ROADSTEAD_DATA_DIR must name a folder.`);
  await mkdir(path, { recursive: true, mode: 0o700 }).catch((cause: unknown) => {
    throw new Problem('invalid', `The data folder ${path} can not be made.`, { cause });
  });
  await chmod(path, 0o700);
  const locked = lock(path);
  const sockets = await makeSocketFolder(await realpath(path));
  for (const left of await readdir(sockets)) await rm(join(sockets, left), { force: true });
  await mkdir(join(path, 'logs'), { recursive: true });
  const log = openLogFile(join(path, 'logs', 'platform.log'));
  return {
    path,
    sockets,
    secret: (name, make) => ownSecret(join(path, name), make),
    log: log.write,
    [Symbol.asyncDispose]: async () => {
      await rm(sockets, { recursive: true, force: true });
      log[Symbol.dispose]();
      locked[Symbol.dispose]();
    },
  };
}

function lock(folder: string): Disposable {
  const taken = tryLock(join(folder, 'lock'));
  if (taken === undefined)
    throw new Problem(
      'conflict',
      `Another Roadstead runs on the data folder ${folder}; stop it first, or set ROADSTEAD_DATA_DIR.`,
    );
  return taken;
}

function tryLock(path: string): Disposable | undefined {
  try {
    return takeLock(path);
  } catch (cause) {
    throw new Problem(
      'invalid',
      `The file ${path} can not be locked; choose a data folder on another disk.`,
      {
        cause,
      },
    );
  }
}

/** Complete or absent: written beside, synced, renamed. */
async function ownSecret(path: string, make: () => string): Promise<string> {
  const known = await readFile(path, 'utf8').catch(() => undefined);
  if (known !== undefined && known.trim() !== '') return known.trim();
  const made = make();
  await using file = await open(`${path}.new`, 'w', 0o600);
  await file.writeFile(`${made}\n`);
  await file.sync();
  await rename(`${path}.new`, path);
  return made;
}

const SQLITE_BUSY = 5;

/**
 * Takes the lock of a file, which the system releases when the process dies, however it dies. The lock belongs to the
 * file and not to the path, so every path to the file has the same lock. Node offers file locks only through a
 * database.
 * @returns undefined while another process has it.
 */
function takeLock(path: string): Disposable | undefined {
  const file = new DatabaseSync(path);
  try {
    // Without a journal the file stays empty, and there is no other file beside it that a killed process could leave.
    file.exec('pragma journal_mode = memory; begin immediate');
    return { [Symbol.dispose]: () => file.close() };
  } catch (error) {
    file.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return undefined;
    throw error;
  }
}
