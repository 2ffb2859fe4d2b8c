import { type Database, ensureDatabase, openDatabase } from '../../packages/postgres/src/index.ts';
import { startEmbeddedPostgres } from '../../packages/postgres-server/src/index.ts';
import { dataHome, startPlatform } from '../../test/support/platform.ts';
import { post } from '../support/measure.ts';
import { atMost, type Report } from '../support/report.ts';
import { deployBenchAgent } from '../support/roadstead.ts';
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import { builder } from '../agent/graph.js';

const THREADS = 40;
const TURNS = 10;

interface Bytes {
  readonly stored: number;
  readonly log: number;
}

/**
 * What a turn of a conversation leaves in the database, against LangGraph's own saver with the same graph: bytes of tables
 * and indexes, and of the write-ahead log. Ours holds thread, run and events beside the checkpoints; the stock saver
 * nothing else.
 */
export async function turnBytes(report: Report, scale: number): Promise<void> {
  await using home = await dataHome();
  await using postgres = await startEmbeddedPostgres({ folder: `${home.path}/postgres` });
  await using platform = await startPlatform(`${home.path}/data`, {
    env: { DATABASE_URL: postgres.url('postgres') },
  });
  await deployBenchAgent(platform, 'untraced', '--secret', 'BENCH_UNTRACED=1');
  await using admin = openDatabase({ url: postgres.url('postgres'), max: 1, name: 'bench' });
  await ensureDatabase(admin, { name: 'stock' });
  const { name } = await admin.one<{ name: string }>(
    `select datname as name from pg_database where datname not in ('postgres', 'stock', 'template0', 'template1', 'roadstead', 'roadstead_traces')`,
  );
  await using stock = await openStockSaver(postgres.url('stock'));
  const headers = { 'x-api-key': platform.key };
  const ours = async (thread_id: string) => {
    const body = {
      assistant_id: 'graph',
      if_not_exists: 'create',
      input: { messages: [{ role: 'user', content: 'hello' }] },
    };
    const url = `${platform.url}/agents/untraced/threads/${thread_id}/runs/wait`;
    const { status, text } = await post(url, headers, JSON.stringify(body));
    if (status !== 200) throw new Error(text);
  };
  const threads = Math.max(4, Math.round(THREADS * scale));
  const mine = await bytesOf(admin, { database: name, turn: ours, threads });
  const theirs = await bytesOf(admin, { database: 'stock', turn: (id) => stock.turn(id), threads });
  const kb = ({ stored, log }: Bytes) =>
    `${(stored / 1000).toFixed(1)} kB stored, ${(log / 1000).toFixed(1)} kB of log`;
  report.note(
    `a turn, ${threads} conversations of ${TURNS}: ours ${kb(mine)}; the stock saver ${kb(theirs)}`,
  );
  const of = 'database bytes of a turn against the stock saver';
  report.ratio(`${of}: stored`, mine.stored / theirs.stored, atMost(1, '×'));
  report.ratio(`${of}: write-ahead log`, mine.log / theirs.log, atMost(1, '×'));
}

interface Turns {
  readonly database: string;
  readonly turn: (thread_id: string) => Promise<void>;
  readonly threads: number;
}

async function bytesOf(admin: Database, { database, turn, threads }: Turns): Promise<Bytes> {
  const sizes = async () =>
    admin.one<{ stored: number; log: number }>(
      `select pg_database_size($1)::float8 as stored, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as log`,
      [database],
    );
  // The first turns make files for tables and indexes.
  for (let at = 0; at < TURNS; at += 1) await turn(crypto.randomUUID());
  await admin.run('checkpoint');
  const before = await sizes();
  for (let at = 0; at < threads; at += 1) {
    const thread_id = crypto.randomUUID();
    for (let again = 0; again < TURNS; again += 1) await turn(thread_id);
  }
  const after = await sizes();
  const turns = threads * TURNS;
  return { stored: (after.stored - before.stored) / turns, log: (after.log - before.log) / turns };
}

/** Turns of conversations of the bench's graph with LangGraph's own saver. */
async function openStockSaver(
  url: string,
): Promise<{ turn(thread_id: string): Promise<void> } & AsyncDisposable> {
  const saver = PostgresSaver.fromConnString(url);
  await saver.setup();
  const graph = builder.compile({ checkpointer: saver });
  return {
    turn: async (thread_id) => {
      await graph.invoke(
        { messages: [{ role: 'user', content: 'hello' }] },
        // As ours, which LangGraph's own server has as its default, too.
        { configurable: { thread_id }, durability: 'async' },
      );
    },
    [Symbol.asyncDispose]: () => saver.end(),
  };
}
