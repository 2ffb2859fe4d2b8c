import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { setTimeout as wait } from 'node:timers/promises';
import { dataHome, startPlatform } from '../../test/support/platform.ts';
import { recordSpans } from '../support/agent-spans.ts';
import { agentTrace } from '../support/agent-traces.ts';
import { get, measure, post } from '../support/measure.ts';
import { startPhoenix } from '../support/phoenix.ts';
import { atMost, type Report } from '../support/report.ts';

const PROJECT = 'bench';
const AVERAGE_RUNS = 14.4;
const CALLS = 100;
const WARM = 20;
/** It writes some 140 spans a second, after it has acknowledged them. */
const READABLE_MS = 1_200_000;

interface Service {
  readonly name: string;
  /** Where spans go, and what goes with them. */
  readonly otlp: { readonly url: string; readonly headers: Record<string, string> };
  /** How many spans can be read. */
  readonly count: () => Promise<number>;
  /** The newest traces. */
  readonly roots: () => Promise<readonly string[]>;
  readonly newest: () => Promise<unknown>;
  readonly trace: (root: string) => Promise<unknown>;
  readonly metadata: (customer: string) => Promise<unknown>;
  readonly statistics: () => Promise<unknown>;
}

/** The same spans by OpenTelemetry to us and to Phoenix, and what both are asked most. */
export async function peerReads(
  report: Report,
  { spans, phoenix: command }: { readonly spans: number; readonly phoenix: string | undefined },
): Promise<void> {
  if (command === undefined) {
    report.note('Phoenix is not measured: --phoenix names its executable (pip install arize-phoenix).');
    return;
  }
  await using home = await dataHome();
  await using platform = await startPlatform(`${home.path}/data`);
  await using phoenix = await startPhoenix(command, `${home.path}/phoenix`);
  const services = [await ours(platform.url, platform.key), await theirs(phoenix.url)];
  const traces = Array.from({ length: Math.round(spans / AVERAGE_RUNS) }, (_, number) =>
    agentTrace(number, { begins_ms: Date.now() - 3_600_000 + number * 1000 }),
  );
  const count = traces.reduce((sum, { runs }) => sum + runs.length, 0);
  const customers = traces.map(({ runs: [root] }) => String(root?.metadata['customer']));
  const medians: Record<string, number>[] = [];
  for (const service of services) {
    const began = performance.now();
    const provider = new TracerProvider({
      resource: resourceFromAttributes({ 'openinference.project.name': PROJECT }),
      spanProcessors: [
        new BatchSpanProcessor({ exporter: new OTLPTraceExporter(service.otlp), maxQueueSize: 2 * spans }),
      ],
    });
    for (const trace of traces) recordSpans(provider.getTracer(PROJECT), trace);
    await provider.forceFlush();
    const sent_s = (performance.now() - began) / 1000;
    await untilReadable(service, count);
    const read_s = (performance.now() - began) / 1000;
    report.note(
      `${service.name}: ${(count / sent_s).toFixed(0)} spans/s acknowledged, ${(count / read_s).toFixed(0)}/s readable`,
    );
    const roots = await service.roots();
    let at = 0;
    const next = <T>(of: readonly T[]): T => of[(at += 7) % of.length] as T;
    const calls = {
      'newest 100 of a project': service.newest,
      'a trace': () => service.trace(next(roots)),
      'metadata of some spans': () => service.metadata(next(customers)),
      'statistics of a project': service.statistics,
    };
    const median: Record<string, number> = {};
    for (const [name, call] of Object.entries(calls))
      median[name] = report.row(
        `${service.name}: ${name}`,
        await measure({ count: CALLS, concurrency: 1, warm: WARM }, call),
      ).p50_ms;
    medians.push(median);
  }
  const [own = {}, peer = {}] = medians;
  for (const [name, ms] of Object.entries(own))
    report.ratio(`${name} among ${count} spans, against Phoenix`, ms / (peer[name] ?? 0), atMost(1, '×'));
}

async function untilReadable({ name, count }: Service, all: number): Promise<void> {
  for (const until = performance.now() + READABLE_MS; ;) {
    const found = await count();
    if (found >= all) return;
    if (performance.now() > until) throw new Error(`${name} shows ${found} of ${all} spans.`);
    await wait(250);
  }
}

async function ours(url: string, key: string): Promise<Service> {
  const headers = { 'x-api-key': key };
  const ask = asking(url, headers);
  const created = (await ask('/sessions', { name: PROJECT })) as { id: string };
  const session = [created.id];
  const query = (body: object) => ask('/runs/query', { limit: 100, ...body });
  return {
    name: 'Roadstead',
    otlp: { url: `${url}/otel/v1/traces`, headers: { ...headers, 'Langsmith-Project': PROJECT } },
    count: async () => ((await ask('/runs/stats', { session })) as { run_count: number }).run_count,
    roots: async () => {
      const { runs } = (await query({ session, is_root: true, select: ['id'] })) as {
        runs: { id: string }[];
      };
      return runs.map(({ id }) => id);
    },
    newest: async () => query({ session }),
    trace: async (root) => query({ trace: root }),
    metadata: async (customer) =>
      query({
        session,
        filter: `and(eq(metadata_key, "customer"), eq(metadata_value, ${JSON.stringify(customer)}))`,
      }),
    statistics: async () => ask(`/sessions/${created.id}?include_stats=true`),
  };
}

const statistics = `{ projects { edges { node { name recordCount traceCount tokenCountTotal
  p50: latencyMsQuantile(probability: 0.5) p99: latencyMsQuantile(probability: 0.99) } } } }`;

interface Projects {
  readonly data: { readonly projects: { readonly edges: { node: { name: string; recordCount: number } }[] } };
}

async function theirs(url: string): Promise<Service> {
  const ask = asking(url, {});
  await ask('/v1/projects', { name: PROJECT });
  const spans = (query: string) => ask(`/v1/projects/${PROJECT}/spans?limit=100&${query}`);
  const projects = async () => (await ask('/graphql', { query: statistics })) as Projects;
  return {
    name: 'Phoenix',
    otlp: { url: `${url}/v1/traces`, headers: {} },
    count: async () => {
      const { edges } = (await projects()).data.projects;
      return edges.find(({ node }) => node.name === PROJECT)?.node.recordCount ?? 0;
    },
    roots: async () => {
      const { data } = (await ask(`/v1/projects/${PROJECT}/traces?limit=100`)) as {
        data: { trace_id: string }[];
      };
      return data.map(({ trace_id }) => trace_id);
    },
    newest: async () => spans('sort=start_time'),
    trace: async (trace) => spans(`trace_id=${trace}`),
    metadata: async (customer) => spans(`sort=start_time&attribute=metadata.customer:${customer}`),
    statistics: projects,
  };
}

const asking =
  (url: string, headers: Record<string, string>) =>
  async (path: string, body?: object): Promise<unknown> => {
    const answer = await (body === undefined
      ? get(`${url}${path}`, headers)
      : post(`${url}${path}`, headers, JSON.stringify(body)));
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text.slice(0, 500)}`);
    return JSON.parse(answer.text);
  };
