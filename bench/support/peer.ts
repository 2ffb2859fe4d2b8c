import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ensureDatabase, openDatabase } from '../../packages/postgres/src/index.ts';
import { startEmbeddedPostgres } from '../../packages/postgres-server/src/index.ts';
import { dataHome } from '../../test/support/platform.ts';

export interface Peers extends AsyncDisposable {
  /** Starts the SDK's server; `memory` keeps tasks in memory, else they lie in a database of its own. */
  start(mode: 'echo' | 'graph', store?: 'memory'): Promise<Peer>;
}

interface Peer extends AsyncDisposable {
  readonly url: string;
}

const program = fileURLToPath(new URL('peer-server.ts', import.meta.url));
const migrations = fileURLToPath(new URL('../../node_modules/.bin/a2a-db', import.meta.url));

/** The official SDK's servers on a Postgres of the same version and settings as ours. */
export async function openPeers(): Promise<Peers> {
  await using stack = new AsyncDisposableStack();
  const home = stack.use(await dataHome());
  const postgres = stack.use(await startEmbeddedPostgres({ folder: `${home.path}/postgres` }));
  const admin = stack.use(openDatabase({ url: postgres.url('postgres'), max: 1, name: 'bench' }));
  let count = 0;
  const opened = stack.move();
  return {
    start: async (mode, store) => {
      const name = `peer_${(count += 1)}`;
      const url = store ?? postgres.url(name);
      if (store === undefined) {
        await ensureDatabase(admin, { name });
        await run(migrations, 'upgrade', '--store', 'tasks', '--url', url);
      }
      return startPeer(mode, url);
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function startPeer(mode: string, store: string): Promise<Peer> {
  const child = spawn(process.execPath, [program, mode, store], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, BENCH_UNTRACED: '1' },
  });
  const exited = once(child, 'exit');
  const [port] = (await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    exited.then(() => Promise.reject(new Error('the peer did not start'))),
  ])) as [string];
  return {
    url: `http://127.0.0.1:${port}/`,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

async function run(...[command = '', ...args]: string[]): Promise<void> {
  const [code] = (await once(spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'] }), 'exit')) as [
    number,
  ];
  if (code !== 0) throw new Error(`${command} ended with ${code}`);
}
