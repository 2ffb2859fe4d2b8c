import { readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '@roadstead/postgres';
import { startEmbeddedPostgres } from '@roadstead/postgres-server';
import { temporaryRoot } from './temporary-root.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The superuser's address of database `postgres` on the server of this test run. */
    readonly postgresUrl: string;
  }
}

const prefix = 'roadstead-test-';
/** The launcher's: what one process has compiled, of types stripped, none compiles again. */
const compile_cache = join(import.meta.dirname, '../../../../node_modules/.cache/roadstead');

/** One PostgreSQL for the whole run, in the folder that is the temporary one of all tests. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const place = await temporaryRoot();
  for (const one of new Set([tmpdir(), place])) await removeAbandoned(one);
  const root = join(place, `${prefix}${process.pid}`);
  const server = await startEmbeddedPostgres({ folder: join(root, 'postgres') });
  await withoutFsync(server.url('postgres'));
  project.provide('postgresUrl', server.url('postgres'));
  // Workers are started with both, and so are the processes and threads that they start.
  process.env['TMPDIR'] = root;
  process.env['NODE_COMPILE_CACHE'] = compile_cache;
  return async () => {
    await server[Symbol.asyncDispose]();
    await rm(root, { recursive: true, maxRetries: 3 });
  };
}

/** Its data never outlive the machine, and each database that is copied or dropped would wait for the disk. */
async function withoutFsync(url: string): Promise<void> {
  await using db = openDatabase({ url, max: 1, name: 'test' });
  await db.run('alter system set fsync = off');
  await db.run('select pg_reload_conf()');
}

/** Servers of runs that were killed: starting on their folder ends what runs there. */
async function removeAbandoned(place: string): Promise<void> {
  for (const name of await readdir(place)) {
    if (!name.startsWith(prefix) || isAlive(Number(name.slice(prefix.length)))) continue;
    const root = join(place, name);
    try {
      await using _server = await startEmbeddedPostgres({ folder: join(root, 'postgres') });
    } catch {
      // Another run may be clearing the same folder.
    }
    await rm(root, { recursive: true, force: true, maxRetries: 3 });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
