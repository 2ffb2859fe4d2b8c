import { createHash } from 'node:crypto';
import { type AgentTrace, pick, tools, wordOf } from './agent-traces.ts';
import { projectName } from './agent-traces-client.ts';

/** What is asked of many runs: each time about another project, trace, user or word. */

export interface Question {
  readonly name: string;
  /** The target of the 99th percentile; 50 by default. */
  readonly most_ms?: number;
  readonly request: (random: () => number, projects: ReadonlyMap<string, string>) => ApiRequest;
}

interface ApiRequest {
  readonly path: string;
  /** The body of a POST; a GET has none. */
  readonly body?: object;
}

/** Ids of copies are made as `trace-copies.ts` makes them. */
function idIn(copy: number, id: string): string {
  if (copy === 0) return id;
  const hex = createHash('md5').update(`${id}${copy}`).digest('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

export function questionsOf(traces: readonly AgentTrace[], copies: number): Question[] {
  const anyTrace = (random: () => number) => ({
    trace: pick(random, traces),
    copy: Math.floor(random() * (copies + 1)),
  });
  const project: Question['request'] = (random, projects) => ({
    path: '',
    body: { session: [projects.get(projectName(Math.floor(random() * 12)))] },
  });
  const query =
    (body: (random: () => number) => object): Question['request'] =>
    (random, projects) => ({
      path: '/runs/query',
      body: { ...project(random, projects).body, limit: 100, ...body(random) },
    });
  const filter = (text: (random: () => number) => string) => query((random) => ({ filter: text(random) }));
  const quoted = (text: string) => JSON.stringify(text);
  const entry = (key: string, value: (random: () => number) => string) =>
    filter((random) => `and(eq(metadata_key, ${quoted(key)}), eq(metadata_value, ${quoted(value(random))}))`);
  return [
    { name: 'newest 100 of a project', request: query(() => ({})) },
    { name: 'newest 100 roots of a project', request: query(() => ({ is_root: true })) },
    {
      name: 'a run by id',
      request: (random) => {
        const { trace, copy } = anyTrace(random);
        return { path: `/runs/${idIn(copy, pick(random, trace.runs).id)}` };
      },
    },
    {
      name: 'a trace',
      request: (random) => {
        const { trace, copy } = anyTrace(random);
        return { path: '/runs/query', body: { trace: idIn(copy, trace.runs[0]?.id ?? ''), limit: 100 } };
      },
    },
    {
      name: 'a thread',
      request: (random, projects) => {
        const { trace, copy } = anyTrace(random);
        const thread_id = copy === 0 ? trace.thread_id : `${trace.thread_id}-${copy}`;
        const session = [projects.get(projectName(trace.project))];
        return {
          path: '/runs/query',
          body: { session, is_root: true, limit: 100, filter: `eq(thread_id, ${quoted(thread_id)})` },
        };
      },
    },
    { name: 'a common tag', request: filter((random) => `has(tags, "tool:${pick(random, tools)}")`) },
    { name: 'metadata of many runs', request: entry('region', () => 'ap-south-1') },
    {
      name: 'metadata of some runs',
      request: entry('customer', (random) => `customer-${Math.floor(random() * 700)}`),
    },
    {
      name: 'metadata of few runs',
      request: entry('user_id', (random) => `user-${Math.floor(random() * 20_000)}`),
    },
    { name: 'failed runs', request: filter(() => 'eq(status, "error")') },
    { name: 'slow model calls', request: filter(() => 'and(eq(run_type, "llm"), gt(latency, "4s"))') },
    {
      name: 'a window of time, by tag',
      request: query((random) => {
        const began = Date.now() - random() * 10 * 86_400_000;
        return {
          start_time: new Date(began).toISOString(),
          end_time: new Date(began + 3_600_000).toISOString(),
          filter: `has(tags, "tool:${pick(random, tools)}")`,
        };
      }),
    },
    { name: 'a word, common or rare', request: filter((random) => `search(${quoted(wordOf(random))})`) },
    {
      name: 'three words',
      request: filter((random) => `search(${quoted([0, 1, 2].map(() => wordOf(random)).join(' '))})`),
    },
    {
      name: 'runs of traces whose root has a tag',
      request: query(() => ({ run_type: 'llm', trace_filter: 'has(tags, "staging")' })),
    },
    ...seriesQuestions(project),
    { name: 'projects with statistics', request: () => ({ path: '/sessions?include_stats=true&limit=100' }) },
  ];
}

const DAY_MS = 86_400_000;

interface SeriesBody {
  readonly of_workspace?: boolean;
  readonly bucket_s: number;
  readonly group_by?: object;
  readonly select?: readonly string[];
  readonly compare?: boolean;
}

/** Lines of a dashboard: of days from rollups, of hours from the runs. */
function seriesQuestions(project: Question['request']): Question[] {
  const ask =
    (days: number, { of_workspace = false, ...more }: SeriesBody): Question['request'] =>
    (random, projects) => {
      const { session } = project(random, projects).body as { readonly session: readonly string[] };
      const now = Date.now();
      const body = {
        start_time: new Date(now - days * DAY_MS).toISOString(),
        end_time: new Date(now).toISOString(),
        ...(of_workspace ? {} : { project_ids: session }),
        ...more,
      };
      return { path: '/v2/series/query', body };
    };
  const most_ms = 100;
  return [
    { name: 'series of a project, 6 days by the day', most_ms, request: ask(6, { bucket_s: 86_400 }) },
    { name: 'series of a project, a day by the quarter', most_ms, request: ask(1, { bucket_s: 900 }) },
    { name: 'series of a project, 6 days by the hour', most_ms, request: ask(6, { bucket_s: 3600 }) },
    {
      name: 'series of the workspace, 6 days by the day',
      most_ms,
      request: ask(6, { of_workspace: true, bucket_s: 86_400 }),
    },
    {
      name: 'series of the workspace, a day by the quarter',
      most_ms,
      request: ask(1, { of_workspace: true, bucket_s: 900 }),
    },
    {
      name: 'series of the workspace, 6 days by the hour',
      most_ms,
      request: ask(6, { of_workspace: true, bucket_s: 3600 }),
    },
    {
      name: 'series of a project by model, a day',
      most_ms,
      request: ask(1, { bucket_s: 3600, group_by: { attribute: 'model' } }),
    },
    {
      name: 'histogram of traces, a day',
      most_ms,
      request: ask(1, { bucket_s: 900, select: ['counts'], compare: false }),
    },
  ];
}
