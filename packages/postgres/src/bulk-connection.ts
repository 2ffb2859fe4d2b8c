import type { Readable, Writable } from 'node:stream';
import { Client } from 'pg';
import { from as copyIn, to as copyOut } from 'pg-copy-streams';
import { type Queryable, queryable } from './database.ts';
import { typeParsers } from './database-types.ts';
import { withSessionOptions } from './database-url.ts';

/** One connection to move many rows by; its statements take as long as they need. */
export interface BulkConnection extends Queryable, AsyncDisposable {
  /** What a `copy … to stdout` sends. */
  copyOut(statement: string): Readable & { readonly rowCount: number | null };
  /** What a `copy … from stdin` takes. */
  copyIn(statement: string): Writable & { readonly rowCount: number | null };
}

export async function openBulkConnection({
  url,
  name,
}: {
  readonly url: string;
  /** What the server shows for it (`application_name`). */
  readonly name: string;
}): Promise<BulkConnection> {
  const session = { TimeZone: 'UTC', DateStyle: 'ISO', IntervalStyle: 'postgres' };
  const client = new Client({
    connectionString: withSessionOptions(url, session, { statement_timeout: '0' }),
    application_name: name,
    connectionTimeoutMillis: 30_000,
    keepAlive: true,
    types: typeParsers,
  });
  // Whoever waits for an answer hears of a lost connection, too.
  client.on('error', () => undefined);
  await client.connect();
  return {
    ...queryable(({ text, values }) => client.query(text, values as unknown[])),
    copyOut: (statement) => client.query(copyOut(statement)),
    copyIn: (statement) => client.query(copyIn(statement)),
    [Symbol.asyncDispose]: () => client.end(),
  };
}
