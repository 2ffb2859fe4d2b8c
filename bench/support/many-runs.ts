import { withDatabaseName } from '../../packages/postgres/src/index.ts';
import { startEmbeddedPostgres } from '../../packages/postgres-server/src/index.ts';
import { type RunningPlatform, startPlatform } from '../../test/support/platform.ts';
import { agentTrace, type AgentTrace } from './agent-traces.ts';
import { batchOf } from './agent-traces-client.ts';
import { measure, post } from './measure.ts';
import type { Report } from './report.ts';
import { copyTraces } from './trace-copies.ts';
import { untilFound } from './until-found.ts';

/** A platform with so many runs of agents that some of them must be copied within the database. */

/** Sent by the API at most; the rest are copies of them. */
const SENT = 50_000;
/** All lies within the time that short-lived traces are kept. */
const SPAN_MS = 12 * 86_400_000;
const TRACES_A_REQUEST = 7;
const AVERAGE_RUNS = 14.4;

export interface StartedPlatform extends AsyncDisposable {
  readonly platform: RunningPlatform;
  /** The address of the database of traces. */
  readonly database: string;
}

/** Postgres, and with it what it had in memory, begins anew each time. */
export async function startOnPostgres(
  folder: string,
  more: Readonly<Record<string, string>> = {},
): Promise<StartedPlatform> {
  await using stack = new AsyncDisposableStack();
  const postgres = stack.use(await startEmbeddedPostgres({ folder: `${folder}/postgres` }));
  const env = { DATABASE_URL: postgres.url('postgres'), ...more };
  const platform = stack.use(await startPlatform(`${folder}/data`, { env }));
  const opened = stack.move();
  return {
    platform,
    database: withDatabaseName(postgres.url('postgres'), 'roadstead_traces'),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** What is sent, and how often it is copied. */
export interface ManyRuns {
  readonly traces: readonly AgentTrace[];
  readonly copies: number;
  readonly older_ms: number;
}

/** The newest ones end with the span. */
export function manyRunsOf({ runs, at_ms }: { readonly runs: number; readonly at_ms: number }): ManyRuns {
  const copies = Math.max(Math.ceil(runs / SENT), 1) - 1;
  const older_ms = Math.floor(SPAN_MS / (copies + 1));
  const count = Math.round(runs / (copies + 1) / AVERAGE_RUNS);
  const began_ms = at_ms - older_ms;
  const traces = Array.from({ length: count }, (_, number) =>
    agentTrace(number, { begins_ms: Math.floor(began_ms + (number / count) * (older_ms - 120_000)) }),
  );
  return { traces, copies, older_ms };
}

export async function fillWithRuns(
  report: Report,
  started: StartedPlatform,
  { traces, copies, older_ms }: ManyRuns,
): Promise<void> {
  await sendAll(report, started, traces);
  if (copies > 0) await copyTraces(started.database, { copies, older_ms });
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
