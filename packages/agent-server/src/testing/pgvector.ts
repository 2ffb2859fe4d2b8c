import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '@roadstead/postgres';
import { makeSocketFolder } from '@roadstead/postgres-server';
import { run } from '@roadstead/postgres-server/server-process';
import { pythonWith } from '@roadstead/testing/processes';
import { eventually } from '@roadstead/testing';

export interface PgvectorServer extends AsyncDisposable {
  /** The superuser's address of database `postgres`. */
  readonly url: string;
}

/** A PostgreSQL that has pgvector, from a package of PyPI; why there is none, in words, where that can't be had. */
export async function startPgvectorServer(): Promise<PgvectorServer | string> {
  const python = await pythonWith(['pgserver==0.1.4']);
  if (typeof python === 'string') return python;
  const bin = join(python.env['PYTHONPATH'] ?? '', 'pgserver', 'pginstall', 'bin');
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'pgvector-'));
  stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));
  const data = join(folder, 'data');
  const options = ['--encoding=UTF8', '--locale=C', '--auth=trust', '--username=roadstead', '--no-sync'];
  const made = await (await run(join(bin, 'initdb'), ['-D', data, ...options], { env: {} })).exited;
  if (made.code !== 0) return `pgserver's initdb failed (${made.code}): ${made.log.join('\n')}`;
  const socket = await makeSocketFolder(folder);
  stack.defer(() => rm(socket, { recursive: true, force: true }));
  const settings = [
    'listen_addresses=',
    'port=5432',
    `unix_socket_directories=${socket}`,
    'fsync=off',
    'jit=off',
  ];
  const args = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])];
  const server = await run(join(bin, 'postgres'), args, { env: {} });
  stack.defer(async () => {
    if (!server.exit) process.kill(server.pid, 'SIGINT');
    await server.exited;
  });
  const url = `postgresql://roadstead@/postgres?host=${encodeURIComponent(socket)}`;
  await eventually(() => answers(url));
  const opened = stack.move();
  return { url, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

async function answers(url: string): Promise<void> {
  await using db = openDatabase({ url, max: 1, name: 'test' });
  await db.query('select 1');
}
