import { join } from 'node:path';
import { type Config, createLog, listen, type NodeListener, Problem, randomToken } from '@roadstead/kit';
import { createAgentsProxy } from './agents-proxy.ts';
import type { DataFolder } from './data-folder.ts';
import { DataPlaneProcess } from './data-plane-process.ts';
import type { platformSettings } from './platform-config.ts';
import { readKeys } from './platform-keys.ts';
import { startServices } from './services.ts';
import { openStores } from './stores.ts';

export interface PlatformOptions {
  readonly config: Config<typeof platformSettings>;
  readonly folder: DataFolder;
  /** The environment that the data plane may see; ours is taken out. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly onPhase: (phase: string) => void;
}

export interface Platform extends AsyncDisposable {
  readonly url: string;
  readonly api_key: string;
  readonly workspace_id: string;
  /** What an operator should know, in sentences. */
  warnings(): Promise<string[]>;
  /** Ends the children that could hold up a stop. */
  force(): void;
}

/** Everything of ours in the right order: the port, Postgres, the services, the data plane. Stops in the reverse one. */
export async function startPlatform({
  config,
  folder,
  environment,
  onPhase,
}: PlatformOptions): Promise<Platform> {
  await using stack = new AsyncDisposableStack();
  const log = createLog(
    { level: config.log_level, write: (line) => folder.log(line) },
    { process: 'platform' },
  );
  // First of all the port: whoever has it keeps us from starting anything.
  let handle: NodeListener = (_request, response) =>
    response.writeHead(503, { 'retry-after': '1' }).end('{"detail":"Roadstead is starting."}');
  const server = stack.use(
    await listen((request, response) => handle(request, response), { host: config.host, port: config.port }),
  );
  const url = config.public_url ?? `http://127.0.0.1:${server.port}`;
  const keys = await readKeys(folder, config);
  onPhase('Postgres');
  const stores = stack.use(await openStores(folder, config, log));
  onPhase('services');
  const listener_key = `rs_${randomToken(32)}`;
  // Named after us: the data plane of a killed platform removes its own when it ends, and that may be later.
  const socket = join(folder.sockets, `agents.${process.pid}`);
  const agents = stack.use(createAgentsProxy(socket));
  const own = await startServices({
    stack,
    urls: stores.urls,
    keys,
    url,
    config,
    folder,
    log,
    agents,
    listener_key,
  });
  handle = own.listener;
  onPhase('data plane');
  const dataPlane = stack.use(
    new DataPlaneProcess({
      log,
      onLog: (line) => folder.log(line),
      environment: {
        ...environment,
        ROADSTEAD_DATA_PLANE_SOCKET: socket,
        ROADSTEAD_CONTROL_URL: `http://${reachable(config.host)}:${server.port}`,
        ROADSTEAD_LISTENER_ID: keys.listener_id,
        ROADSTEAD_LISTENER_KEY: listener_key,
        ROADSTEAD_DATA_DIR: folder.path,
        ROADSTEAD_AGENTS_DATABASE_URL: stores.urls.agents,
        ROADSTEAD_AGENT_URL: config.agent_url ?? `${url}/agents/{slug}`,
        NODE_COMPILE_CACHE: join(folder.path, 'cache', 'node'),
      },
    }),
  );
  await untilReady(own.ready);
  const opened = stack.move();
  return {
    url,
    api_key: keys.api_key,
    workspace_id: keys.workspace_id,
    warnings: own.warnings,
    force: () => dataPlane.kill(),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Where our own child finds us: a server that listens everywhere is reached by loopback. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

const READY_MS = 60_000;

async function untilReady(ready: () => Promise<boolean>): Promise<void> {
  const until = Date.now() + READY_MS;
  while (!(await ready())) {
    if (Date.now() > until)
      throw new Problem(
        'unavailable',
        `The data plane did not take its lease within ${READY_MS / 1000} s; the log says why.`,
      );
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
