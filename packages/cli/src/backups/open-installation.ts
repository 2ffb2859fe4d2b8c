import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type BlobsPlace, BLOB_STORES, type Blobs, openBlobs, readBlobsPlace } from '@roadstead/blobs';
import { type Config, createLog, Problem } from '@roadstead/kit';
import { runningPostgres } from '@roadstead/postgres-server';
import { dataFolderOf } from '../target/data-folder-path.ts';
import { type DataFolder, openDataFolder } from '../platform/data-folder.ts';
import { addressesElsewhere, ensureElsewhere, openStores, type Stores } from '../platform/stores.ts';
import type { backupSettings } from './backup-settings.ts';

/** Where the databases and blobs of an installation are. */
export interface Installation extends AsyncDisposable {
  /** The data folder; undefined where databases and blobs are elsewhere and there is none. */
  readonly folder: string | undefined;
  readonly urls: Stores['urls'];
  readonly blobs: Readonly<Record<string, Blobs>>;
}

export interface InstallationOptions {
  readonly config: Config<typeof backupSettings>;
  /** Whether nothing may run on its data folder. */
  readonly alone: boolean;
  readonly signal: AbortSignal;
}

/**
 * Opens an installation, whether it runs or not: an embedded Postgres that does not run is started.
 * @throws Problem `conflict` where it runs and must not
 */
export async function openInstallation({
  config,
  alone,
  signal,
}: InstallationOptions): Promise<Installation> {
  await using stack = new AsyncDisposableStack();
  const path = folderOf(config, alone);
  const folder = path === undefined ? undefined : await lockFolder(path, alone);
  if (folder !== undefined) stack.use(folder);
  const urls = await databasesOf({ config, alone, path, folder, signal, stack });
  const blobs = await blobsOf(readBlobsPlace(config, path));
  const opened = stack.move();
  return { folder: path, urls, blobs, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/**
 * The data folder, which has the keys also where databases are elsewhere; services apart have none.
 * @throws Problem `not_found` where there must be one
 */
function folderOf(config: InstallationOptions['config'], alone: boolean): string | undefined {
  const path = dataFolderOf(config.data_folder);
  const mayLack = config.data_folder === undefined && isElsewhere(config);
  if (alone ? !mayLack : existsSync(path)) return path;
  if (mayLack) return undefined;
  throw new Problem('not_found', `There is no installation in ${path}; set ROADSTEAD_DATA_DIR.`);
}

/** Undefined while another process runs on the folder. */
async function lockFolder(path: string, alone: boolean): Promise<DataFolder | undefined> {
  try {
    return await openDataFolder(path);
  } catch (error) {
    if (!alone && error instanceof Problem && error.kind === 'conflict') return undefined;
    throw error;
  }
}

interface Place extends InstallationOptions {
  readonly path: string | undefined;
  readonly folder: DataFolder | undefined;
  readonly stack: AsyncDisposableStack;
}

async function databasesOf({ config, alone, path, folder, signal, stack }: Place): Promise<Stores['urls']> {
  const agents = config.agents_database_url;
  if (isElsewhere(config)) {
    const urls = alone ? await ensureElsewhere(config) : addressesElsewhere(config);
    return { ...urls, agents: agents ?? urls.agents };
  }
  if (folder !== undefined) {
    const write = (line: string) => folder.log(line);
    const log = createLog({ level: config.log_level, write }, { process: 'backup' });
    return stack.use(await openStores({ config, folder, log, signal })).urls;
  }
  const url = await runningPostgres(join(path ?? '', 'postgres'));
  return { platform: url('roadstead'), traces: url('roadstead_traces'), agents: url('postgres') };
}

const isElsewhere = ({ database_url, traces_database_url }: DatabaseConfig) =>
  database_url !== undefined || traces_database_url !== undefined;

type DatabaseConfig = Pick<InstallationOptions['config'], 'database_url' | 'traces_database_url'>;

async function blobsOf(place: BlobsPlace): Promise<Record<string, Blobs>> {
  return Object.fromEntries(
    await Promise.all(BLOB_STORES.map(async (store) => [store, await openBlobs(place, store)] as const)),
  );
}
