import { getCompileCacheDir } from 'node:module';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import {
  createProxy,
  HandOff,
  listen,
  type ListenOptions,
  type NodeListener,
  type UpgradeListener,
} from '@roadstead/http';
import { type Config, createLog, type Log, Problem, randomToken, tendHeap } from '@roadstead/kit';
import { chooseCompileCache } from './compile-cache.ts';
import type { DataFolder } from './data-folder.ts';
import { DataPlaneProcess } from './data-plane-process.ts';
import type { platformSettings } from './platform-config.ts';
import { type PlatformKeys, readKeys } from './platform-keys.ts';
import { startServices } from './services.ts';
import { openStores, type Stores } from './stores.ts';

export interface PlatformOptions {
  readonly config: Config<typeof platformSettings>;
  readonly folder: DataFolder;
  /** The environment that the data plane may see; our variables are removed. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly onPhase: (phase: string) => void;
  /** Aborts the start; without effect later. */
  readonly signal: AbortSignal;
  /** Kills the children that could delay a stop. */
  readonly forced: AbortSignal;
}

export interface Platform extends AsyncDisposable {
  readonly url: string;
  readonly api_key: string;
  readonly workspace_id: string;
  /** Warnings for an operator, as sentences. */
  warnings(): Promise<string[]>;
}

/**
 * Starts everything of ours in the right order: the port, Postgres, the services, the data plane. Stops in reverse.
 */
export async function startPlatform({
  config,
  folder,
  environment,
  onPhase,
  signal,
  forced,
}: PlatformOptions): Promise<Platform> {
  await using stack = new AsyncDisposableStack();
  const log = createLog(
    { level: config.log_level, write: (line) => folder.log(line) },
    { process: 'platform' },
  );
  // The port comes first: if it is taken, nothing must be started.
  let handle = away('Roadstead is starting.');
  const handOff = new HandOff('/agents/');
  let upgrade: UpgradeListener = (_request, socket) => void socket.destroy();
  const server = stack.use(
    await listen((request, response) => handle(request, response), config, {
      ...connectionLimits(config, log),
      handOff,
      onUpgrade: (request, socket, head) => upgrade(request, socket, head),
    }),
  );
  const url = config.public_url ?? `http://127.0.0.1:${server.port}`;
  const keys = await readKeys(folder, config);
  const begin = (phase: string) => {
    signal.throwIfAborted();
    onPhase(phase);
  };
  begin('Postgres');
  const stores = stack.use(await openStores({ folder, config, log, signal }));
  begin('services');
  const listener_key = `rs_${randomToken(32)}`;
  // Named after our process: the data plane of a killed platform removes its own socket when it ends, which may be
  // later.
  const socketOf = (name: string) => join(folder.sockets, `${name}.${process.pid}`);
  const [socket, platform_socket] = [socketOf('agents'), socketOf('platform')];
  const agents = stack.use(createProxy({ name: 'data plane', at: { socket } }));
  const local_url = `http://${reachable(config.host)}:${server.port}`;
  const services = { stack, stores, keys, url, local_url, config, folder, log, agents, socket, listener_key };
  const own = await startServices(services);
  handle = own.origin.listener;
  upgrade = own.origin.onUpgrade;
  // After the data plane, which still reports while it stops, and before the services: later requests get a 503.
  stack.defer(async () => {
    handle = away('Roadstead is stopping.');
    own.endStreams();
    await server[Symbol.asyncDispose]();
  });
  // Requests for other paths than agents' on the connections that the data plane was handed; nobody else may connect
  // here.
  const returned = { ...connectionLimits(config, log), onUpgrade: upgrade };
  stack.use(await listen(own.origin.returned, { socket: platform_socket }, returned));
  begin('data plane');
  const compile_cache = await chooseCompileCache(folder.path, getCompileCacheDir());
  const dataPlane = stack.use(
    openDataPlane({ ...services, environment, handOff, platform_socket, compile_cache }),
  );
  forced.addEventListener('abort', () => dataPlane.kill());
  await untilReady({ ready: own.ready, refused: dataPlane.refused, signal });
  stack.use(tendHeap());
  const opened = stack.move();
  return {
    url,
    api_key: keys.api_key,
    workspace_id: keys.workspace_id,
    warnings: own.warnings,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

type DataPlaneOptions = Pick<PlatformOptions, 'config' | 'folder' | 'environment'> &
  Readonly<
    Record<'url' | 'local_url' | 'socket' | 'platform_socket' | 'listener_key' | 'compile_cache', string>
  > & {
    readonly keys: Pick<PlatformKeys, 'listener_id'>;
    readonly stores: Pick<Stores, 'urls'>;
    readonly handOff: HandOff;
    readonly log: Log;
  };

const openDataPlane = ({ config, folder, environment, log, handOff, ...own }: DataPlaneOptions) =>
  new DataPlaneProcess({
    log,
    onLog: (line) => folder.log(line),
    handOff,
    environment: {
      ...environment,
      ROADSTEAD_DATA_PLANE_SOCKET: own.socket,
      ROADSTEAD_PLATFORM_SOCKET: own.platform_socket,
      ROADSTEAD_REQUEST_S: String(config.request_s),
      ROADSTEAD_LISTENER_ID: own.keys.listener_id,
      ROADSTEAD_CONTROL_URL: own.local_url,
      ROADSTEAD_DATA_DIR: folder.path,
      ROADSTEAD_AGENT_URL: config.agent_url ?? `${own.url}/agents/{slug}`,
      ROADSTEAD_ALLOWED_HOSTS: config.allowed_hosts.join(','),
      NODE_COMPILE_CACHE: own.compile_cache,
      LOG_LEVEL: config.log_level,
    },
    secrets: {
      ROADSTEAD_LISTENER_KEY: own.listener_key,
      ROADSTEAD_AGENTS_DATABASE_URL: own.stores.urls.agents,
    },
  });

/** Our own child's way to us: a server that listens on all addresses is reached by loopback. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

const connectionLimits = (
  { max_connections, request_s }: PlatformOptions['config'],
  log: Log,
): ListenOptions => ({
  max_connections,
  request_ms: request_s * 1000,
  onTooMany: () => log.warn('too many connections; one was closed'),
});

const READY_MS = 60_000;

interface Readiness {
  readonly ready: () => Promise<boolean>;
  /** Why the data plane will never start. */
  readonly refused: Promise<Problem>;
  readonly signal: AbortSignal;
}

async function untilReady({ ready, refused, signal }: Readiness): Promise<void> {
  let why: Problem | undefined;
  void refused.then((problem) => (why = problem));
  const until = Date.now() + READY_MS;
  while (!(await ready())) {
    if (why !== undefined) throw why;
    if (Date.now() > until)
      throw new Problem(
        'unavailable',
        `The data plane did not take its lease within ${READY_MS / 1000} s; the log says why.`,
      );
    await setTimeout(20, undefined, { signal });
  }
  signal.throwIfAborted();
}

function away(detail: string): NodeListener {
  return (_request, response) =>
    response
      .writeHead(503, { 'content-type': 'application/json', 'retry-after': '1', connection: 'close' })
      .end(JSON.stringify({ detail }));
}
