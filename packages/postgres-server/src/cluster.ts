import { createHash, randomBytes } from 'node:crypto';
import {
  chmod,
  mkdir,
  open,
  readFile,
  readdir,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import type { Binaries } from './binaries.ts';
import { explainExit, type LogSink, run } from './server-process.ts';
import { PostgresStartError } from './postgres-start-error.ts';

/** A data folder that is complete, of the right version and ours. */
export interface Cluster {
  readonly data: string;
  readonly password: string;
  /** Unique to this folder; the processes of its server are recognised by it. */
  readonly name: string;
}

interface StartOptions {
  readonly signal?: AbortSignal;
  readonly onLog?: LogSink;
}

/** The superuser of an embedded server. */
export const superuser = 'roadstead';

/** Only the superuser may enter the databases that every cluster has; every other database decides by its grants. */
const host_based_access = `local all                ${superuser} scram-sha-256
local postgres,template1 all       reject
local all                all       scram-sha-256
`;

/**
 * Makes the folder private, 0700.
 * @returns its real path.
 * @throws PostgresStartError when it is a file, cannot be made, or belongs to somebody else.
 */
export async function makePrivateFolder(folder: string): Promise<string> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const { uid } = await stat(folder);
    const self = process.getuid?.() ?? uid;
    if (uid !== self) {
      throw new PostgresStartError(
        `The folder ${folder} belongs to user ${uid}; start Roadstead as that user, not as ${self}.`,
      );
    }
    await chmod(folder, 0o700);
    return await realpath(folder);
  } catch (error) {
    if (error instanceof PostgresStartError) throw error;
    const { code = String(error) } = error as NodeJS.ErrnoException;
    const why = code === 'EEXIST' || code === 'ENOTDIR' ? 'a file is in its place' : code;
    throw new PostgresStartError(`The folder ${folder} for PostgreSQL cannot be made: ${why}.`, {
      cause: error,
    });
  }
}

/**
 * Opens the cluster in a private folder; makes it at the first start (about 1 s).
 * @throws PostgresStartError when it was made by another major version, has lost its password or cannot be made.
 */
export async function openCluster(
  folder: string,
  binaries: Binaries,
  options: StartOptions,
): Promise<Cluster> {
  const cluster = join(folder, 'cluster');
  await removeUnfinished(folder);
  const version = await readVersion(cluster);
  if (version === undefined) await initialize(cluster, folder, binaries, options);
  else if (version !== binaries.major) {
    throw new PostgresStartError(
      `The data in ${folder} was written by PostgreSQL ${version}, which PostgreSQL ${binaries.major} cannot read; ` +
        'start the Roadstead that wrote it, or restore a backup into an empty folder.',
    );
  }
  const password = await readPassword(folder);
  const data = join(cluster, 'data');
  const name = `roadstead-${createHash('sha256').update(data).digest('hex').slice(0, 12)}`;
  return { data, password, name };
}

/** The superuser's password. @throws PostgresStartError */
export async function readPassword(folder: string): Promise<string> {
  const path = join(folder, 'cluster', 'password');
  return readFile(path, 'utf8').catch((cause: unknown) => {
    throw new PostgresStartError(`The file ${path}, without which the data cannot be opened, is missing.`, {
      cause,
    });
  });
}

/** Undefined where there is no cluster yet. */
async function readVersion(cluster: string): Promise<string | undefined> {
  const version = await readFile(join(cluster, 'data', 'PG_VERSION'), 'utf8').catch(() => undefined);
  if (version !== undefined) return version.trim();
  if ((await stat(cluster).catch(() => undefined)) === undefined) return undefined;
  throw new PostgresStartError(
    `The folder ${cluster} holds no PostgreSQL data that can be read; move it away or restore it.`,
  );
}

/** The rename is the single moment at which a cluster appears: before it there is nothing, after it everything. */
async function initialize(
  cluster: string,
  folder: string,
  binaries: Binaries,
  options: StartOptions,
): Promise<void> {
  const unfinished = join(folder, `${unfinished_prefix}${process.pid}`);
  try {
    await mkdir(unfinished, { mode: 0o700 });
    await runInitdb(unfinished, binaries, options);
    await writeFile(join(unfinished, 'data', 'pg_hba.conf'), host_based_access);
    await rename(unfinished, cluster);
    await using directory = await open(folder);
    await directory.sync();
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
    throw error;
  }
}

async function runInitdb(
  folder: string,
  { initdb, env }: Binaries,
  { signal, onLog }: StartOptions,
): Promise<void> {
  const password = join(folder, 'password');
  await writeFile(password, randomBytes(32).toString('base64url'), { mode: 0o600 });
  // The built-in locale sorts and folds the same on every machine and after every upgrade of its C library.
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const access = [`--username=${superuser}`, `--pwfile=${password}`, '--auth=scram-sha-256'];
  const args = [
    `--pgdata=${join(folder, 'data')}`,
    ...access,
    ...locale,
    '--data-checksums',
    '--no-instructions',
  ];
  signal?.throwIfAborted();
  const { pid, exited } = await run(initdb, args, { env, onLog });
  const abort = () => pid > 0 && process.kill(-pid, 'SIGTERM');
  signal?.addEventListener('abort', abort);
  const exit = await exited;
  signal?.removeEventListener('abort', abort);
  signal?.throwIfAborted();
  if (exit.code !== 0) throw explainExit('PostgreSQL could not make its data folder', exit);
}

const unfinished_prefix = 'unfinished-';

/**
 * Removes what a platform left that was killed in the middle of `initialize`; the number of its process is in the
 * name.
 */
async function removeUnfinished(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(unfinished_prefix)) continue;
    if (isOtherProcess(Number(name.slice(unfinished_prefix.length)))) continue;
    await rm(join(folder, name), { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }
}

function isOtherProcess(pid: number): boolean {
  try {
    return pid !== process.pid && process.kill(pid, 0);
  } catch {
    return false;
  }
}
