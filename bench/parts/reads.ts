import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { openDatabase, withDatabaseName } from '../../packages/postgres/src/index.ts';
import { startEmbeddedPostgres } from '../../packages/postgres-server/src/index.ts';
import { dataHome, type RunningPlatform, startPlatform } from '../../test/support/platform.ts';
import { agentTrace, type AgentTrace, randomOf } from '../support/agent-traces.ts';
import { batchOf } from '../support/agent-traces-client.ts';
import { measure, post } from '../support/measure.ts';
import { atMost, type Report } from '../support/report.ts';
import { copyTraces } from '../support/trace-copies.ts';
import { type Question, questionsOf } from '../support/trace-questions.ts';
import { untilFound } from '../support/until-found.ts';

/** Sent by the API at most; the rest are copies of them. */
const SENT = 50_000;
/** All lies within the time that short-lived traces are kept. */
const SPAN_MS = 12 * 86_400_000;
const TRACES_A_REQUEST = 7;
const AVERAGE_RUNS = 14.4;
const CALLS = 100;
/** So many that each project was asked about. */
const WARM = 50;

interface StartedPlatform extends AsyncDisposable {
  readonly platform: RunningPlatform;
  readonly database: string;
}

/** What was written into a folder, from which the same questions can be made again. */
interface FolderContents {
  readonly runs: number;
  readonly at_ms: number;
}

/**
 * What people look for among so many runs, over HTTP; `--runs 1000000` for all of them. With `--data FOLDER` the runs are
 * kept there, and asked again the next time.
 */
export async function reads(
  report: Report,
  { runs, data }: { readonly runs: number; readonly data: string | undefined },
): Promise<void> {
  await using home = data === undefined ? await dataHome() : { path: resolve(data), ...kept };
  const mark = join(home.path, 'filled.json');
  const before = await readFile(mark, 'utf8').catch(() => undefined);
  const filled = before === undefined ? { runs, at_ms: Date.now() } : (JSON.parse(before) as FolderContents);
  const copies = Math.max(Math.ceil(filled.runs / SENT), 1) - 1;
  const older_ms = Math.floor(SPAN_MS / (copies + 1));
  const traces = tracesOf(Math.round(filled.runs / (copies + 1) / AVERAGE_RUNS), {
    began_ms: filled.at_ms - older_ms,
    span_ms: older_ms,
  });
  if (before === undefined) {
    await using started = await start(home.path);
    await sendAll(report, started, traces);
    if (copies > 0) await copyTraces(started.database, { copies, older_ms });
    await tellSizes(report, started.database);
    await writeFile(mark, JSON.stringify(filled));
  }
  for (const question of questionsOf(traces, copies)) {
    await using opened = await start(home.path);
    await tellAnswer(report, opened.platform, question);
  }
}

const kept = { [Symbol.asyncDispose]: async () => {} };

/** Postgres, and with it what it had in memory, begins anew each time. */
async function start(folder: string): Promise<StartedPlatform> {
  await using stack = new AsyncDisposableStack();
  const postgres = stack.use(await startEmbeddedPostgres({ folder: `${folder}/postgres` }));
  const env = { DATABASE_URL: postgres.url('postgres') };
  const platform = stack.use(await startPlatform(`${folder}/data`, { env }));
  const opened = stack.move();
  return {
    platform,
    database: withDatabaseName(postgres.url('postgres'), 'roadstead_traces'),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** The newest ones end with the span. */
function tracesOf(
  count: number,
  { began_ms, span_ms }: { readonly began_ms: number; readonly span_ms: number },
): AgentTrace[] {
  return Array.from({ length: count }, (_, number) =>
    agentTrace(number, { begins_ms: Math.floor(began_ms + (number / count) * (span_ms - 120_000)) }),
  );
}

async function sendAll(
  report: Report,
  { platform, database }: StartedPlatform,
  traces: readonly AgentTrace[],
) {
  const batches = Array.from({ length: Math.ceil(traces.length / TRACES_A_REQUEST) }, (_, at) =>
    traces.slice(at * TRACES_A_REQUEST, (at + 1) * TRACES_A_REQUEST),
  );
  const count = batches.length;
  const runs = traces.reduce((sum, trace) => sum + trace.runs.length, 0);
  const began = performance.now();
  const sent = await measure({ count, concurrency: 4, warm: 0 }, async () => {
    const answer = await post(
      `${platform.url}/runs/batch`,
      { 'x-api-key': platform.key },
      batchOf(batches.pop() ?? []),
    );
    if (answer.status !== 202) throw new Error(answer.text);
  });
  const perSecond = (since: number) => `${(runs / ((performance.now() - since) / 1000)).toFixed(0)} runs/s`;
  report.row(`${runs} runs of agents sent`, sent, `${perSecond(began)} acknowledged`);
  await untilFound(database);
  report.note(`until all of them could be found by what is in them: ${perSecond(began)}`);
}

async function tellSizes(report: Report, database: string): Promise<void> {
  await using db = openDatabase({ url: database, max: 1, name: 'bench', limit_ms: 600_000 });
  const { runs } = await db.one<{ runs: number }>('select count(*) as runs from traces.runs');
  const parts = await db.query<{ name: string; bytes: number }>(
    `select coalesce(regexp_replace(relname, '_(short|long)lived.*', ''), '') as name,
       sum(pg_table_size(oid))::int8 as bytes from pg_class
     where relnamespace = 'traces'::regnamespace and relkind = 'r'
     group by 1 having sum(pg_table_size(oid)) > 1e6
     union all
     select regexp_replace(indrelid::regclass::text, '^traces\\.|_(short|long)lived.*', '', 'g') || ' ' || am.amname,
       sum(pg_relation_size(indexrelid))::int8
     from pg_index join pg_class c on c.oid = indexrelid join pg_am am on am.oid = c.relam
     where c.relnamespace = 'traces'::regnamespace and c.relkind = 'i' group by 1
     having sum(pg_relation_size(indexrelid)) > 1e6 order by bytes desc`,
  );
  const total = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  report.note(
    `${runs} runs, ${(total / runs).toFixed(0)} bytes a run on disk: ` +
      parts.map(({ name, bytes }) => `${name} ${(bytes / runs).toFixed(0)}`).join(', '),
  );
}

async function tellAnswer(report: Report, platform: RunningPlatform, question: Question): Promise<void> {
  const headers = { 'x-api-key': platform.key };
  const listed = await fetch(`${platform.url}/sessions`, { headers });
  const sessions = (await listed.json()) as { readonly id: string; readonly name: string }[];
  const projects = new Map(sessions.map(({ id, name }) => [name, id]));
  const random = randomOf(1);
  const call = async () => {
    const { path, body } = question.request(random, projects);
    const url = `${platform.url}${path}`;
    if (body !== undefined) {
      const answer = await post(url, headers, JSON.stringify(body));
      if (answer.status !== 200) throw new Error(`${question.name}: ${answer.text.slice(0, 500)}`);
      return;
    }
    const answer = await fetch(url, { headers });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${question.name}: ${text.slice(0, 500)}`);
  };
  const cold = await measure({ count: 1, concurrency: 1, warm: 0 }, call);
  const warm = await measure({ count: CALLS, concurrency: 1, warm: WARM }, call);
  report.row(question.name, warm, `first ${cold.p50_ms.toFixed(0)} ms`);
  report.ratio(`${question.name}, p99`, warm.p99_ms, atMost(question.most_ms ?? 50, 'ms'));
}
