import { Pool, type PoolClient, type QueryResult } from 'pg';
import { sendPieces } from './byte-pieces.ts';
import { isConnectionError } from './database-error.ts';
import { typeParsers } from './database-types.ts';
import { withSessionOptions } from './database-url.ts';

/** A row whose type the caller does not name. Field names are those of SQL. */
export type Row = Record<string, unknown>;

/**
 * Sends statements: to a database or within one of its transactions. Rows hold int8 as a number (as a string beyond
 * 2^53), numeric as a string, json as its value, bytea as a Buffer, timestamptz as `2026-01-01T00:00:00.000Z` (select
 * `::text` where microseconds count), date and timestamp as text. A large parameter may be given as `BytePieces`. A
 * method rejects with the server's error, or with one for which `isConnectionError` holds.
 */
export interface Queryable {
  query<T extends object = Row>(text: string, values?: readonly unknown[]): Promise<T[]>;
  /** The only row; throws when there is none or a second one. */
  one<T extends object = Row>(text: string, values?: readonly unknown[]): Promise<T>;
  /** The only row or undefined; throws when there is a second one. */
  maybe<T extends object = Row>(text: string, values?: readonly unknown[]): Promise<T | undefined>;
  /** The number of rows that the statement touched. Without values the text may hold several statements. */
  run(text: string, values?: readonly unknown[]): Promise<number>;
}

declare const transaction: unique symbol;
declare const locks: unique symbol;

/** Statements of one transaction, which all take effect or none does. */
export interface Transaction extends Queryable {
  readonly [transaction]: true;
}

/**
 * A transaction that holds the locks of these names until it ends. Code that needs a lock takes this type as a parameter; only
 * the function that acquires the lock produces it, by `nowLocked`.
 */
export type UnderLock<Name extends string> = Transaction & {
  readonly [locks]: { readonly [N in Name]: true };
};

export const nowLocked = <Name extends string>(tx: Transaction): UnderLock<Name> => tx as UnderLock<Name>;

/** The figures of a pool of connections. */
export interface PoolFigures {
  readonly max: number;
  /** The number of open connections. */
  readonly size: number;
  /** The number of open connections that are idle. */
  readonly available: number;
  /** Since the pool was opened: how often a caller had to wait for a connection, and how often it got none. */
  readonly queued: number;
  readonly failed: number;
}

/** A pool of connections to one database. Disposing waits for pending work, then closes them. */
export interface Database extends Queryable, AsyncDisposable {
  /**
   * Commits when the work resolves, rolls back and rethrows when it rejects; a failed statement that the work
   * swallowed makes it throw too. Statements run one after the other. Never retries.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** A transaction without a limit on its statements: to migrate, or to move much data. */
  patientTransaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Like `query`, planned once per connection and name. One name always has the same text. */
  prepared<T extends object = Row>(name: string, text: string, values: readonly unknown[]): Promise<T[]>;
  pool(): PoolFigures;
}

export interface DatabaseOptions {
  readonly url: string;
  /** The most connections; each is opened at its first use. */
  readonly max: number;
  /** What the server shows for these connections (`application_name`). */
  readonly name: string;
  /** A statement that takes longer is cancelled: by the server, or by us where the server does not answer; 5 minutes by default. */
  readonly limit_ms?: number;
  /** A connection unused for so many milliseconds is closed; 10,000 by default. */
  readonly idle_ms?: number;
  /**
   * This many stay open nevertheless: the first statements of a connection take ten times as long. None by default.
   */
  readonly kept?: number;
  /** Called when an unused connection breaks; the pool replaces it. */
  readonly onError?: (error: Error) => void;
  /** The schema in which unqualified names are looked up, instead of `public`. */
  readonly schema?: string;
}

interface Statement {
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[] | undefined;
  /** Our own timeout, in place of the pool's. */
  readonly query_timeout?: number;
}

/** The limit for a server that does not answer, and for a pool with no free connection. */
const CONNECT_MS = 30_000;
const LIMIT_MS = 300_000;
/** How long a transaction waits for a lock, and how long it may be idle while it holds some. */
const LOCK_MS = 30_000;
const IDLE_IN_TRANSACTION_MS = 120_000;
/** The longest delay that a timer supports: 24 days. */
const NEVER_MS = 2 ** 31 - 1;
/** Both sides detect within two minutes that the other has gone without closing the connection. */
const ALIVE_S = { tcp_keepalives_idle: '60', tcp_keepalives_interval: '10', tcp_keepalives_count: '6' };

/** Opens no connection yet: the first statement does, and fails when the server is away. */
export function openDatabase({
  url,
  max,
  name,
  limit_ms = LIMIT_MS,
  idle_ms = 10_000,
  kept = 0,
  onError,
  schema,
}: DatabaseOptions): Database {
  const pool = new Pool({
    connectionString: withSessionOptions(
      url,
      { TimeZone: 'UTC', DateStyle: 'ISO', search_path: schema },
      {
        statement_timeout: `${limit_ms}`,
        lock_timeout: `${Math.min(limit_ms, LOCK_MS)}`,
        idle_in_transaction_session_timeout: `${IDLE_IN_TRANSACTION_MS}`,
        ...ALIVE_S,
      },
    ),
    // The server's own timeout comes first where the server answers.
    query_timeout: limit_ms * 1.2,
    keepAliveInitialDelayMillis: 60_000,
    max,
    min: kept,
    application_name: name,
    idleTimeoutMillis: idle_ms,
    connectionTimeoutMillis: CONNECT_MS,
    allowExitOnIdle: true,
    keepAlive: true,
    types: typeParsers,
  });
  pool.on('error', (error) => onError?.(error));
  pool.on('connect', sendPieces);
  const active = new Set<Promise<unknown>>();
  const counts = { queued: 0, failed: 0 };
  let closing: Promise<void> | undefined;

  /** The pool would drop a connection by itself at every error, and forget who waits for one when it is closed. */
  const withClient = <T>(work: (client: PoolClient) => Promise<T>): Promise<T> => {
    if (closing) return Promise.reject(new Error(`The database connections of ${name} are closed.`));
    if (pool.idleCount === 0 && pool.totalCount >= max) counts.queued += 1;
    const result = borrow({ pool, counts }, work);
    active.add(result);
    const forget = () => active.delete(result);
    result.then(forget, forget);
    return result;
  };
  const execute = (statement: Statement) => withClient((client) => send(client, statement));

  return {
    ...queryable(execute),
    transaction: (work) => withClient((client) => inTransaction(client, work)),
    patientTransaction: (work) => withClient((client) => inTransaction(client, work, PATIENT)),
    prepared: async <T extends object>(name: string, text: string, values: readonly unknown[]) =>
      (await execute({ name, text, values })).rows as T[],
    pool: () => ({ max, size: pool.totalCount, available: pool.idleCount, ...counts }),
    [Symbol.asyncDispose]: () => (closing ??= Promise.allSettled(active).then(() => pool.end())),
  };
}

async function borrow<T>(
  { pool, counts }: { readonly pool: Pool; readonly counts: { failed: number } },
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect().catch((error: unknown) => {
    counts.failed += 1;
    throw error;
  });
  let broken: Error | undefined;
  const onBroken = (error: Error) => (broken = error);
  client.on('error', onBroken);
  try {
    return await work(client);
  } catch (error) {
    if (error instanceof Error && isConnectionError(error)) broken = error;
    throw error;
  } finally {
    client.off('error', onBroken);
    client.release(broken);
  }
}

const HURRIED = { begin: 'begin', limits: {} };
const PATIENT = {
  begin:
    'begin; set local statement_timeout = 0; set local lock_timeout = 0; set local idle_in_transaction_session_timeout = 0',
  limits: { query_timeout: NEVER_MS },
};

async function inTransaction<T>(
  client: PoolClient,
  work: (tx: Transaction) => Promise<T>,
  { begin, limits } = HURRIED,
): Promise<T> {
  let ended = false;
  let turn: Promise<unknown> = Promise.resolve();
  const tx = queryable(async (statement) => {
    if (ended) throw new Error('The transaction has ended.');
    const sent = turn.then(async () => send(client, { ...statement, ...limits }));
    turn = sent.catch(() => undefined);
    return sent;
  }) as Transaction;
  await client.query(begin);
  try {
    const result = await work(tx);
    ended = true;
    // After a failed statement the server answers COMMIT with ROLLBACK, and not with an error.
    const { command } = await client.query('commit');
    if (command !== 'COMMIT')
      throw new Error('The transaction was rolled back: a statement in it had failed.');
    return result;
  } catch (error) {
    ended = true;
    // A failed connection ends the transaction as well, and may never answer.
    if (!isConnectionError(error)) await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

const send = (client: PoolClient, { values, ...statement }: Statement): Promise<QueryResult<Row>> =>
  client.query<Row, unknown[]>(values ? { ...statement, values: values as unknown[] } : statement);

/** The methods of a queryable over what executes a statement. */
export function queryable(execute: (statement: Statement) => Promise<QueryResult<Row>>): Queryable {
  const query = async <T extends object>(text: string, values?: readonly unknown[]) =>
    (await execute({ text, values })).rows as T[];
  const maybe = async <T extends object>(text: string, values?: readonly unknown[]) => {
    const rows = await query<T>(text, values);
    if (rows.length > 1) throw new Error(`Expected one row, got ${rows.length}: ${text}`);
    return rows[0];
  };
  const one = async <T extends object>(text: string, values?: readonly unknown[]) => {
    const row = await maybe<T>(text, values);
    if (row === undefined) throw new Error(`Expected one row, got none: ${text}`);
    return row;
  };
  const run = async (text: string, values?: readonly unknown[]) =>
    (await execute({ text, values })).rowCount ?? 0;
  return { query, one, maybe, run };
}
