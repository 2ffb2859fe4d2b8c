import { environment, runCommand } from '../../test/support/run-command.ts';
import { dataHome } from '../../test/support/platform.ts';
import { type Counts, ONE_OF_EACH, TWO_OF_EACH } from '../../test/support/replicas/replica-settings.ts';
import { type Replicas, startReplicas } from '../../test/support/replicas/replicas.ts';
import { measure, type Measurement, post, sendMessage } from '../support/measure.ts';
import { atLeast, type Report } from '../support/report.ts';
import { deployBenchAgent } from '../support/roadstead.ts';
import { batchOfModelCalls, RUNS } from './ingestion.ts';

const CALLS = { count: 2000, concurrency: 32, warm: 1000 } as const;
const BATCHES = { count: 160, concurrency: 8, warm: 40 } as const;
const READS = { count: 800, concurrency: 8, warm: 200 } as const;

interface Rates {
  readonly calls: Measurement;
  readonly ingestion: Measurement;
  readonly reads: Measurement;
}

/** Calls, ingestion and reads a second with one process of each service, and with two on the same cores. */
export async function replicas(report: Report, scale: number): Promise<void> {
  const one = await rates(report, { name: 'one of each', counts: ONE_OF_EACH, scale });
  const two = await rates(report, { name: 'two of each', counts: TWO_OF_EACH, scale });
  for (const what of ['calls', 'ingestion', 'reads'] as const)
    report.ratio(
      `${what} a second with two of each service against one, on the same cores`,
      (two[what].per_s / one[what].per_s) * 100,
      atLeast(80, '%'),
    );
}

interface RatesOptions {
  readonly name: string;
  readonly counts: Counts;
  readonly scale: number;
}

async function rates(report: Report, { name, counts, scale }: RatesOptions): Promise<Rates> {
  await using home = await dataHome();
  await using started = await startReplicas(home.path, { counts, surroundings: environment({}) });
  const { url, key } = started;
  const commands = environment({ ROADSTEAD_URL: url, ROADSTEAD_API_KEY: key });
  await deployBenchAgent({ run: (...args) => runCommand(args, commands) }, 'traced');
  const headers = { 'x-api-key': key };
  const echo = sendMessage(`${url}/agents/traced/a2a/echo`, headers);
  const calls = await measure(scaled(CALLS, scale), echo);
  report.row(`${name}: a call of an agent, at ${CALLS.concurrency}`, calls);
  const ingestion = await ingest(started, scale);
  report.row(`${name}: POST /runs/batch, ${RUNS} runs, at ${BATCHES.concurrency}`, ingestion);
  const session = await projectOf(started);
  const question = JSON.stringify({ session: [session], is_root: true, limit: 20 });
  const reads = await measure(scaled(READS, scale), async () => {
    const answer = await post(`${url}/runs/query`, headers, question);
    if (answer.status !== 200) throw new Error(answer.text);
  });
  report.row(`${name}: POST /runs/query, 20 runs, at ${READS.concurrency}`, reads);
  return { calls, ingestion, reads };
}

async function ingest({ url, key }: Replicas, scale: number): Promise<Measurement> {
  const load = scaled(BATCHES, scale);
  // Made before the clock starts: what a client does is not measured.
  const bodies = Array.from({ length: load.count + load.warm }, batchOfModelCalls);
  return measure(load, async () => {
    const answer = await post(`${url}/runs/batch`, { 'x-api-key': key }, bodies.pop() ?? '');
    if (answer.status !== 202) throw new Error(answer.text);
  });
}

async function projectOf({ url, key }: Replicas): Promise<string> {
  const listed = await fetch(`${url}/sessions?name=bench`, { headers: { 'x-api-key': key } });
  const [project] = (await listed.json()) as { id: string }[];
  return project?.id ?? '';
}

const scaled = <L extends typeof CALLS | typeof BATCHES | typeof READS>(load: L, scale: number) => ({
  concurrency: load.concurrency,
  count: Math.round(load.count * scale),
  warm: Math.round(load.warm * scale),
});
