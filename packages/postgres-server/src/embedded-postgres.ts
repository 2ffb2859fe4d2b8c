import { readFile, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type Binaries, findBinaries } from './binaries.ts';
import { type Cluster, makePrivateFolder, openCluster, readPassword, superuser } from './cluster.ts';
import { endCluster, endLeftover, ownerSetting } from './leftover.ts';
import { explainExit, type LogSink, type RunningProgram, run } from './server-process.ts';
import { makeSocketFolder, socketName } from './socket-folder.ts';
import { PostgresStartError } from './postgres-start-error.ts';
import { openDatabase } from '@roadstead/postgres';

/** A PostgreSQL server that belongs to us from start to end. Disposing stops it. */
export interface EmbeddedPostgres extends AsyncDisposable {
  /** The superuser's address of a database, whether it exists or not. */
  url(database: string): string;
  /**
   * Resolves if the server dies, or fails to start, unexpectedly; never when it is stopped. A new promise after
   * `restart`.
   */
  readonly died: Promise<void>;
  /**
   * Starts it again, after stopping it if it runs.
   * @throws PostgresStartError
   */
  restart(): Promise<void>;
  readonly pid: number;
}

export interface EmbeddedPostgresOptions {
  /** A folder for the server alone: `<data dir>/postgres`. Created 0700. */
  readonly folder: string;
  /** Aborts the start; without effect later. */
  readonly signal?: AbortSignal;
  /** Called with each line that PostgreSQL writes to its log. */
  readonly onLog?: (line: string) => void;
}

/**
 * Starts PostgreSQL on a folder and resolves when it answers; ends a server that a killed platform left running
 * there. Takes about 0.1 s, 1 s at the first start, and after a crash as long as recovery takes.
 * @throws PostgresStartError with a sentence for the person at the terminal.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  options.signal?.throwIfAborted();
  const folder = await makePrivateFolder(options.folder);
  const binaries = await findBinaries(folder);
  const cluster = await openCluster(folder, binaries, options);
  const server = new EmbeddedServer({
    binaries,
    cluster,
    socket: await makeSocketFolder(folder),
    onLog: options.onLog,
  });
  await server.start(options.signal);
  return server;
}

/**
 * The superuser's address of a database of the server that another process of ours runs on the folder.
 * @throws Error where there is no such folder
 */
export async function runningPostgres(folder: string): Promise<EmbeddedPostgres['url']> {
  const path = await realpath(folder);
  const [socket, password] = [await makeSocketFolder(path), await readPassword(path)];
  return (database) => urlOf(database, { socket, password });
}

const urlOf = (
  database: string,
  { socket, password }: { readonly socket: string; readonly password: string },
) =>
  `postgresql://${superuser}:${password}@/${encodeURIComponent(database)}?host=${encodeURIComponent(socket)}`;

const settings = (socket: string, cluster: Cluster) => ({
  listen_addresses: '',
  port: '5432',
  unix_socket_directories: socket,
  unix_socket_permissions: '0700',
  cluster_name: cluster.name,
  max_connections: '200',
  shared_buffers: '128MB',
  huge_pages: 'off',
  jit: 'off',
  wal_compression: 'on',
  // Pages that aren't in memory are on a solid-state disk.
  random_page_cost: '1.1',
  // Dead rows of the run tables must go early: they slow down every scan. Each visit of a database has a cost too,
  // whether there is work or not.
  autovacuum_naptime: '30s',
  log_destination: 'stderr',
  log_checkpoints: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
});

const poll_ms = 5;

interface EmbeddedServerOptions {
  readonly binaries: Binaries;
  readonly cluster: Cluster;
  readonly socket: string;
  readonly onLog: LogSink;
}

class EmbeddedServer implements EmbeddedPostgres {
  readonly #binaries: Binaries;
  readonly #cluster: Cluster;
  readonly #socket: string;
  readonly #onLog: LogSink;
  readonly #closing = new AbortController();
  #running: RunningProgram | undefined;
  #died = Promise.withResolvers<void>();
  #restarting: Promise<void> | undefined;

  constructor({ binaries, cluster, socket, onLog }: EmbeddedServerOptions) {
    this.#binaries = binaries;
    this.#cluster = cluster;
    this.#socket = socket;
    this.#onLog = onLog;
  }

  get pid(): number {
    return this.#running?.pid ?? 0;
  }

  get died(): Promise<void> {
    return this.#died.promise;
  }

  url(database: string): string {
    return urlOf(database, { socket: this.#socket, password: this.#cluster.password });
  }

  async start(signal: AbortSignal = this.#closing.signal): Promise<void> {
    const { data, name } = this.#cluster;
    await endLeftover(name, [join(data, 'postmaster.pid'), join(this.#socket, `${socketName}.lock`)]);
    signal.throwIfAborted();
    const chosen = Object.entries(settings(this.#socket, this.#cluster)).map(
      ([key, value]) => `${key}=${value}`,
    );
    const args = [
      '-D',
      data,
      ...[...chosen, ownerSetting(process.pid)].flatMap((setting) => ['-c', setting]),
    ];
    const running = await run(this.#binaries.postgres, args, { env: this.#binaries.env, onLog: this.#onLog });
    const died = Promise.withResolvers<void>();
    this.#running = running;
    this.#died = died;
    void running.exited.then(() => this.#running === running && died.resolve());
    try {
      await this.#ready(running, signal);
    } catch (error) {
      await this.#stop();
      if (!this.#closing.signal.aborted) died.resolve();
      throw error;
    }
  }

  async restart(): Promise<void> {
    this.#closing.signal.throwIfAborted();
    this.#restarting = this.#stop().then(() => this.start());
    await this.#restarting;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#restarting?.catch(() => undefined);
    await this.#stop();
    await rm(this.#socket, { recursive: true, force: true });
  }

  async #stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    if (!running) return;
    await endCluster(this.#cluster.name);
    await running.exited;
  }

  /**
   * Waits for the pid file, which shows when a connection is worthwhile (like `pg_ctl`); earlier attempts would fill
   * the log.
   */
  async #ready(running: RunningProgram, signal: AbortSignal): Promise<void> {
    const file = join(this.#cluster.data, 'postmaster.pid');
    for (;;) {
      signal.throwIfAborted();
      if (running.exit) throw explainExit('PostgreSQL ended while it started', running.exit);
      const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n');
      if (Number(lines[0]) === running.pid && lines[7]?.startsWith('ready')) break;
      await setTimeout(poll_ms);
    }
    await using db = openDatabase({ url: this.url('postgres'), max: 1, name: 'roadstead start' });
    await db.query('select 1').catch((cause: Error) => {
      throw new PostgresStartError(`PostgreSQL started but does not answer: ${cause.message}.`, { cause });
    });
    signal.throwIfAborted();
  }
}
