import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { scheduler } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ApiError, type Client, createClient, type Principal } from '@roadstead/contracts';
import { observability } from '@roadstead/contracts/observability';
import { createSigner, createSigningKey, inwardHeaders, listen } from '@roadstead/http';
import type { Database } from '@roadstead/postgres';
import { freshDatabase } from '@roadstead/testing';
import { WORKSPACE } from './observability-fixture.ts';

/** The service as a process of its own, on a database of its own, that is killed and started again. */

const main = fileURLToPath(new URL('../main.ts', import.meta.url));

export interface KillableObservability extends AsyncDisposable {
  readonly db: Database;
  /** The folder with the bytes of attachments. */
  readonly attachments: string;
  readonly client: Client<typeof observability>;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Repeats a request until it is acknowledged, as clients do. */
  sendUntilTaken(path: string, init: () => RequestInit): Promise<void>;
  /** Repeats a call while the service is away. */
  untilAnswered<T>(call: () => Promise<T>): Promise<T>;
  /** kill -9. */
  kill(): Promise<void>;
  start(): Promise<void>;
}

export async function startKillable(): Promise<KillableObservability> {
  await using stack = new AsyncDisposableStack();
  const fresh = stack.use(await freshDatabase('traces'));
  const folder = stack.use(await mkdtempDisposable(join(tmpdir(), 'roadstead-killed-')));
  const signer = createSigner(createSigningKey());
  const identity = stack.use(
    await listen(
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ keys: signer.public_keys }));
      },
      { host: '127.0.0.1', port: 0 },
    ),
  );
  const identity_url = `http://127.0.0.1:${identity.port}`;
  let running: { readonly child: ChildProcess; readonly url: string } | undefined;
  const start = async () => {
    const child = spawn(process.execPath, [main], {
      env: {
        PATH: process.env['PATH'],
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        PORT: '0',
        LOG_LEVEL: 'error',
        TRACES_DATABASE_URL: fresh.url,
        ROADSTEAD_IDENTITY_URL: identity_url,
        ROADSTEAD_DATA_DIR: folder.path,
        ROADSTEAD_URL: 'http://test',
        ROADSTEAD_OBSERVABILITY_KEY: 'the key of the service',
        ROADSTEAD_SECRET_KEY: 'the secret key of tests',
        ROADSTEAD_ALLOWED_HOSTS: '127.0.0.1',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    const { port } = JSON.parse(line) as { port: number };
    running = { child, url: `http://127.0.0.1:${port}` };
  };
  const kill = async () => {
    const { child } = running ?? {};
    running = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  const principal: Principal = { workspace_id: WORKSPACE, actor: 'key:test', scopes: ['admin'] };
  const send = async (request: Request) => {
    if (running === undefined) throw new Error('It does not run.');
    const { pathname, search } = new URL(request.url);
    const inward = inwardHeaders({ assertion: signer.sign(principal, 'observability') });
    for (const [name, value] of Object.entries(inward)) request.headers.set(name, value);
    return fetch(new Request(new URL(pathname + search, running.url), request));
  };
  stack.defer(kill);
  await start();
  const owned = stack.move();
  const untilAnswered = async <T>(call: () => Promise<T>): Promise<T> => {
    while (!owned.disposed)
      try {
        return await call();
      } catch (error) {
        if (error instanceof ApiError && error.status >= 400 && error.status < 500) throw error;
        await scheduler.wait(20);
      }
    throw new Error('The test is over.');
  };
  const fetchPath = async (path: string, init?: RequestInit) => send(new Request(`http://test${path}`, init));
  return {
    db: fresh.db,
    attachments: join(folder.path, 'attachments'),
    client: createClient(observability, { base_url: 'http://test', fetch: send }),
    fetch: fetchPath,
    untilAnswered,
    sendUntilTaken: async (path, init) =>
      untilAnswered(async () => {
        const answer = await fetchPath(path, init());
        if (!answer.ok) throw new ApiError(await answer.text(), { status: answer.status });
      }),
    kill,
    start,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/**
 * Kills it three times, each at a random moment of its work, and leaves it running.
 * @param work the amount of work that is done so far.
 */
export async function killAtRandom(service: KillableObservability, work: () => number): Promise<void> {
  for (let count = 0; count < 3; count += 1) {
    const enough = work() + Math.random() * 8;
    while (work() < enough) await scheduler.wait(5);
    await scheduler.wait(Math.random() * 50);
    await service.kill();
    await service.start();
  }
}
