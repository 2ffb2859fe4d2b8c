import { dataHome, type RunningPlatform, startPlatform } from '../../test/support/platform.ts';
import { agentTrace, type AgentTrace } from '../support/agent-traces.ts';
import { batchOf, projectName } from '../support/agent-traces-client.ts';
import { startLangsmithMcp } from '../support/langsmith-mcp.ts';
import { type Measurement, measure, percentile, post } from '../support/measure.ts';
import { atLeast, type Report, type Target } from '../support/report.ts';
import { type CallTool, openTools } from '../support/tool-calls.ts';

const AVERAGE_RUNS = 14.4;
const TRACES_A_REQUEST = 7;
const LISTED = 30;
const ROUNDS = 3;
const WARM = 20;
/** How many at once, and how many calls of a round. */
const levels = [
  { concurrency: 1, count: 60 },
  { concurrency: 8, count: 120 },
  { concurrency: 32, count: 160 },
] as const;

interface Question {
  readonly tool: string;
  /** Where in the answer the items are. */
  readonly key: string;
  readonly target: Target;
  readonly given: () => object;
}

/** The same calls of the same tools, ours and of `langsmith-mcp-server`, which reads the same API with the same key. */
export async function mcp(
  report: Report,
  { spans, peer }: { readonly spans: number; readonly peer: string | undefined },
): Promise<void> {
  if (peer === undefined) {
    report.note('MCP is not measured: --peer names its executable (pip install langsmith-mcp-server).');
    return;
  }
  await using home = await dataHome();
  await using platform = await startPlatform(`${home.path}/data`);
  const traces = Array.from({ length: Math.round(spans / AVERAGE_RUNS) }, (_, number) =>
    agentTrace(number, { begins_ms: Date.now() - 3_600_000 + number * 1000 }),
  );
  await seed(platform, traces);
  await using theirs = await startLangsmithMcp(peer);
  const sides = {
    Roadstead: await openTools(`${platform.url}/mcp`, { 'SERVICE-API-KEY': platform.key }),
    'langsmith-mcp-server': await openTools(theirs.url, {
      'LANGSMITH-API-KEY': platform.key,
      'LANGSMITH-ENDPOINT': `${platform.url}/api`,
    }),
  };
  for (const [name, question] of Object.entries(questionsOf(traces)))
    await compare(report, { name, question, sides });
}

function questionsOf(traces: readonly AgentTrace[]): Readonly<Record<string, Question>> {
  let at = 0;
  const next = () => traces[(at += 7) % traces.length] as AgentTrace;
  const list = (tool: string, key: string): Question => ({
    tool,
    key,
    target: atLeast(3, '×'),
    given: () => ({ limit: 20 }),
  });
  return {
    'list of projects': list('list_projects', 'projects'),
    'list of datasets': list('list_datasets', 'datasets'),
    'list of prompts': list('list_prompts', 'prompts'),
    'newest 100 runs': {
      tool: 'fetch_runs',
      key: 'runs',
      target: atLeast(2, '×'),
      given: () => ({ project_name: projectName(0), limit: 100 }),
    },
    'a trace': {
      tool: 'fetch_runs',
      key: 'runs',
      target: atLeast(2, '×'),
      given: () => {
        const { project, runs } = next();
        return { project_name: projectName(project), limit: 100, trace_id: runs[0]?.id, page_number: 1 };
      },
    },
    'a conversation': {
      tool: 'get_thread_history',
      key: 'result',
      target: atLeast(2, '×'),
      given: () => {
        const { project, thread_id } = next();
        return { project_name: projectName(project), thread_id, page_number: 1 };
      },
    },
  };
}

interface ComparisonCase {
  readonly name: string;
  readonly question: Question;
  readonly sides: Readonly<Record<string, CallTool>>;
}

/** In turns, so that both meet the same weather; a ratio is the median of its rounds. */
async function compare(report: Report, { name, question, sides }: ComparisonCase): Promise<void> {
  const asked = Object.entries(sides).map(([side, tool]) => ({ side, call: () => ask(tool, question) }));
  for (const { concurrency, count } of levels) {
    const rounds: Measurement[][] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const measured: Measurement[] = [];
      for (const { call } of asked) measured.push(await measure({ count, concurrency, warm: WARM }, call));
      rounds.push(measured);
    }
    for (const [at, { side }] of asked.entries())
      report.row(`${side}: ${name}, ${concurrency} at once`, middle(rounds.map((round) => round[at])));
    const ratio = median(rounds.map(([ours, theirs]) => (theirs?.p50_ms ?? 0) / (ours?.p50_ms ?? 1)));
    const more = median(rounds.map(([ours, theirs]) => (ours?.per_s ?? 0) / (theirs?.per_s ?? 1)));
    const of = `MCP: ${name}, ${concurrency} at once, against langsmith-mcp-server`;
    report.ratio(`${of}: as fast`, ratio, question.target);
    report.ratio(`${of}: as many`, more, question.target);
  }
}

async function ask(call: CallTool, { tool, key, given }: Question): Promise<void> {
  const items = (await call(tool, given()))[key];
  if (!Array.isArray(items) || items.length === 0) throw new Error(`${tool} gave nothing.`);
}

const median = (values: readonly number[]) => percentile(values, 0.5);

function middle(rounds: readonly (Measurement | undefined)[]): Measurement {
  const of = (name: keyof Measurement) => median(rounds.map((round) => round?.[name] ?? 0));
  return { p50_ms: of('p50_ms'), p99_ms: of('p99_ms'), per_s: of('per_s') };
}

async function seed({ url, key }: RunningPlatform, traces: readonly AgentTrace[]): Promise<void> {
  const send = async (path: string, body: string) => {
    const { status, text } = await post(`${url}${path}`, { 'x-api-key': key }, body);
    if (status >= 300) throw new Error(`${path}: ${status} ${text.slice(0, 500)}`);
  };
  for (let at = 0; at < traces.length; at += TRACES_A_REQUEST)
    await send('/runs/batch', batchOf(traces.slice(at, at + TRACES_A_REQUEST)));
  for (let at = 0; at < LISTED; at += 1) {
    await send('/datasets', JSON.stringify({ name: `dataset ${at}`, description: 'What customers ask' }));
    await send('/repos', JSON.stringify({ repo_handle: `prompt-${at}`, is_public: false }));
  }
}
