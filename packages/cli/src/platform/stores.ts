import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type Config, Problem, type Log } from '@roadstead/kit';
import { ensureDatabase, openDatabase, readServerVersion, withDatabaseName } from '@roadstead/postgres';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@roadstead/postgres-server';
import type { DataFolder } from './data-folder.ts';
import type { platformSettings } from './platform-config.ts';

interface StoreUrls {
  readonly platform: string;
  readonly traces: string;
  /** The server for the databases of deployments. */
  readonly agents: string;
}

export interface Stores extends AsyncDisposable {
  readonly urls: StoreUrls;
  /** Whether we run the server, so that its databases are on the data folder's disk. */
  readonly is_embedded: boolean;
}

export interface StoresOptions {
  readonly config: Pick<Config<typeof platformSettings>, 'database_url' | 'traces_database_url'>;
  readonly folder: DataFolder;
  readonly log: Log;
  /** Aborts the start of the embedded Postgres. */
  readonly signal: AbortSignal;
}

/** Opens the embedded Postgres, unless addresses of another are given; the databases exist afterwards. */
export async function openStores({ config, ...options }: StoresOptions): Promise<Stores> {
  const { database_url, traces_database_url } = config;
  if (database_url === undefined && traces_database_url === undefined) return openEmbedded(options);
  return {
    urls: await ensureElsewhere(config),
    is_embedded: false,
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/**
 * Makes the databases of the platform on the operator's server; one of the addresses is given.
 * @throws Problem that describes what is wrong with the server
 */
export async function ensureElsewhere({
  database_url,
  traces_database_url,
}: Pick<StoresOptions['config'], 'database_url' | 'traces_database_url'>): Promise<StoreUrls> {
  const urls = addressesElsewhere({ database_url, traces_database_url });
  if (database_url !== undefined) await requireServer(database_url, 'DATABASE_URL');
  if (traces_database_url !== undefined) await requireServer(traces_database_url, 'TRACES_DATABASE_URL');
  await ensureDatabases(urls.platform, [databaseOf(urls.traces)]);
  return urls;
}

/** The addresses of the databases on the operator's server; one of them is given. */
export function addressesElsewhere({
  database_url,
  traces_database_url,
}: Pick<StoresOptions['config'], 'database_url' | 'traces_database_url'>): StoreUrls {
  const platform = database_url ?? withDatabaseName(traces_database_url ?? '', 'roadstead');
  const traces = traces_database_url ?? withDatabaseName(platform, 'roadstead_traces');
  return { platform, traces, agents: platform };
}

const AGAIN_MS = 1000;

async function openEmbedded({ folder, log, signal }: Omit<StoresOptions, 'config'>): Promise<Stores> {
  await using stack = new AsyncDisposableStack();
  const postgres = stack.use(
    await startEmbeddedPostgres({
      folder: join(folder.path, 'postgres'),
      signal,
      onLog: (line) => folder.log(`${JSON.stringify({ process: 'postgres', message: line })}\n`),
    }),
  );
  const stop = new AbortController();
  stack.defer(() => stop.abort());
  void keepRunning(postgres, log, stop.signal);
  await ensureDatabases(postgres.url('postgres'), ['roadstead', 'roadstead_traces']);
  const opened = stack.move();
  return {
    urls: {
      platform: postgres.url('roadstead'),
      traces: postgres.url('roadstead_traces'),
      agents: postgres.url('postgres'),
    },
    is_embedded: true,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function keepRunning(postgres: EmbeddedPostgres, log: Log, signal: AbortSignal): Promise<void> {
  for (;;) {
    await postgres.died;
    if (signal.aborted) return;
    log.error('Postgres ended; it is started again');
    await postgres.restart().catch(async (error: unknown) => {
      log.error('Postgres did not start', { error });
      await setTimeout(AGAIN_MS, undefined, { signal }).catch(() => undefined);
    });
  }
}

const OLDEST = 16;

/** @throws Problem that describes what is wrong with the operator's server, without its password. */
async function requireServer(url: string, variable: string): Promise<void> {
  await using db = openDatabase({ url, max: 1, name: 'roadstead start' });
  const major = await readServerVersion(db).catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Problem('unavailable', `The PostgreSQL server of ${variable} can't be used: ${why}.`, {
      cause,
    });
  });
  if (major < OLDEST)
    throw new Problem(
      'unavailable',
      `The server of ${variable} is PostgreSQL ${major}; ${OLDEST} or newer is needed.`,
    );
}

async function ensureDatabases(admin_url: string, names: readonly string[]): Promise<void> {
  await using admin = openDatabase({ url: admin_url, max: 1, name: 'roadstead start' });
  for (const name of names) await ensureDatabase(admin, { name });
}

const databaseOf = (url: string) =>
  decodeURIComponent(/^[^?]*\/([^/?]+)/.exec(url)?.[1] ?? 'roadstead_traces');
