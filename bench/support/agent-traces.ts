/**
 * Traces as agents leave them: a graph that thinks, calls tools and answers, in 12 to 20 runs with the messages so far
 * in each, two dozen entries of metadata, tags, threads of some turns. The same number gives the same traces.
 */

export interface AgentRun {
  readonly id: string;
  readonly parent: AgentRun | undefined;
  readonly name: string;
  readonly run_type: 'chain' | 'llm' | 'tool' | 'prompt';
  readonly start_ms: number;
  readonly end_ms: number;
  readonly error: string | undefined;
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly inputs: object;
  readonly outputs: object;
  readonly usage: { readonly input: number; readonly output: number } | undefined;
}

export interface AgentTrace {
  readonly project: number;
  readonly thread_id: string;
  /** The root first, parents before their children. */
  readonly runs: readonly AgentRun[];
  /** A user's score; most users give none. */
  readonly score: number | undefined;
}

/** Shares of the projects: one is large, most are small. */
const shares = [0.4, 0.2, 0.12, 0.08, 0.05, 0.04, 0.03, 0.03, 0.02, 0.01, 0.01, 0.01];
const models = ['gpt-5-mini', 'gpt-5', 'claude-sonnet-5', 'claude-haiku-5', 'gemini-3-flash'];
export const tools = [
  'search_orders',
  'get_weather',
  'refund_payment',
  'lookup_customer',
  'send_email',
  'sql_query',
];
const regions = ['eu-west-1', 'eu-central-1', 'us-east-1', 'us-west-2', 'ap-south-1'];
const plans = ['free', 'team', 'business', 'enterprise'];
const errors = ['TimeoutError: the tool did not answer', 'RateLimitError: 429', 'ValueError: no such order'];
const syllables =
  'ba be bi bo bu da de di do du ka ke ki ko ku la le li lo lu ma me mi mo mu na ne ni no nu ra re ri ro ru sa se si so su ta te ti to tu'.split(
    ' ',
  );

/** Mulberry32: a sequence of its own for each seed. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

type Random = () => number;
export const pick = <T>(random: Random, of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;

/** As common as words are: the n-th of 30,000 words is about n times as rare as the first. */
export function wordOf(random: Random): string {
  const rank = Math.floor(30_000 ** random());
  const [a, b, c] = [rank % 47, Math.floor(rank / 47) % 47, Math.floor(rank / 2209) % 47];
  return [a, b, ...(rank > 2209 ? [c] : [])].map((at) => syllables[at] ?? 'ba').join('');
}

function textOf(random: Random, length: number): string {
  let text = '';
  while (text.length < length) text += `${wordOf(random)} `;
  return text.trimEnd();
}

/** Messages are between 100 characters and 4,000, most of them short; drawn from a pool, as prompts recur. */
const POOL = 4000;
const pool: string[] = [];
function messageOf(random: Random): string {
  const at = Math.floor(random() * POOL);
  return (pool[at] ??= textOf(randomOf(at + 7), Math.floor(100 * 40 ** randomOf(at)())));
}

function uuidOf(random: Random): string {
  const hex = Array.from({ length: 4 }, () =>
    Math.floor(random() * 0x1_0000_0000)
      .toString(16)
      .padStart(8, '0'),
  ).join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/** The n-th trace; `begins_ms` is when its root began. */
export function agentTrace(number: number, { begins_ms }: { readonly begins_ms: number }): AgentTrace {
  const random = randomOf(number * 2_654_435_761);
  const share = random();
  let sum = 0;
  const project = shares.findIndex((one) => (sum += one) > share);
  const turn = number % 5;
  const thread_random = randomOf(Math.floor(number / 5) * 40_503 + 11);
  const thread_id = uuidOf(thread_random);
  const user = Math.floor(thread_random() * 20_000);
  const common = {
    thread_id,
    user_id: `user-${user}`,
    customer: `customer-${user % 700}`,
    plan: pick(thread_random, plans),
    region: pick(thread_random, regions),
    env: random() < 0.9 ? 'production' : 'staging',
    revision_id: `rev-${Math.floor(number / 20_000)}`,
    app_version: `4.${Math.floor(number / 9000)}.${number % 3}`,
    request_id: uuidOf(random),
    langgraph_version: '1.4.17',
    langgraph_plan: 'developer',
    langgraph_host: 'self-hosted',
    langgraph_api_url: 'http://127.0.0.1:4100',
    assistant_id: 'fe096781-5601-53d2-b2f6-0d3403f7e9ca',
    graph_id: 'agent',
    run_attempt: 1,
    LANGSMITH_TRACING: 'true',
    LANGSMITH_PROJECT: `project-${project}`,
    user_locale: pick(thread_random, ['en', 'de', 'fr', 'es']),
    channel: pick(thread_random, ['web', 'ios', 'android', 'email']),
    turn,
  };
  return { project, thread_id, ...runsOf(random, { begins_ms, common, turn }) };
}

interface TurnContext {
  readonly begins_ms: number;
  readonly common: Readonly<Record<string, unknown>>;
  readonly turn: number;
}

function runsOf(
  random: Random,
  { begins_ms, common, turn }: TurnContext,
): Pick<AgentTrace, 'runs' | 'score'> {
  const runs: AgentRun[] = [];
  let now = begins_ms;
  const failing = random() < 0.04;
  const messages: object[] = Array.from({ length: 1 + 2 * turn }, (_, at) => ({
    type: at % 2 === 0 ? 'human' : 'ai',
    content: messageOf(random),
    id: uuidOf(random),
  }));
  const begin = (
    parent: AgentRun | undefined,
    run: Partial<AgentRun> & Pick<AgentRun, 'name' | 'run_type'>,
  ) => {
    const made: AgentRun = {
      id: uuidOf(random),
      parent,
      start_ms: now,
      end_ms: now,
      error: undefined,
      tags: [],
      metadata: common,
      inputs: {},
      outputs: {},
      usage: undefined,
      ...run,
    };
    runs.push(made);
    return made;
  };
  const end = (run: AgentRun, took_ms: number, more: Partial<AgentRun>) => {
    now += took_ms;
    Object.assign(run, { end_ms: now, ...more });
  };
  const root = begin(undefined, {
    name: 'LangGraph',
    run_type: 'chain',
    inputs: { messages: [...messages] },
    tags: ['agent', common['env'] as string],
  });
  const steps = 2 + Math.floor(random() * 2);
  for (let step = 1; step <= steps; step += 1) {
    const node = (name: string) => ({
      ...common,
      langgraph_step: step,
      langgraph_node: name,
      langgraph_triggers: [`branch:to:${name}`],
      langgraph_path: ['__pregel_pull', name],
      langgraph_checkpoint_ns: `${name}:${step}`,
    });
    const thinking = begin(root, {
      name: 'agent',
      run_type: 'chain',
      metadata: node('agent'),
      tags: [`graph:step:${step}`],
      inputs: { messages: messages.slice(-4) },
    });
    const prompt = begin(thinking, {
      name: 'ChatPromptTemplate',
      run_type: 'prompt',
      metadata: node('agent'),
      tags: ['seq:step:1'],
      inputs: { messages: messages.slice(-2) },
    });
    end(prompt, 1, { outputs: { messages: messages.slice(-2) } });
    const model = pick(random, models);
    const call = begin(thinking, {
      name: 'ChatModel',
      run_type: 'llm',
      metadata: {
        ...node('agent'),
        ls_provider: 'openai',
        ls_model_name: model,
        ls_model_type: 'chat',
        ls_temperature: 0.2,
      },
      tags: ['seq:step:2'],
      inputs: { messages: [messages] },
    });
    const answer = { type: 'ai', content: messageOf(random), id: uuidOf(random) };
    const usage = { input: 200 + Math.floor(random() * 6000), output: 20 + Math.floor(random() * 900) };
    end(call, 300 + Math.floor(4000 * random() ** 3), {
      usage,
      outputs: {
        generations: [[{ text: answer.content, message: answer }]],
        usage_metadata: {
          input_tokens: usage.input,
          output_tokens: usage.output,
          total_tokens: usage.input + usage.output,
        },
      },
    });
    messages.push(answer);
    end(thinking, 1, { outputs: { messages: [answer] } });
    if (step === steps) break;
    const acting = begin(root, {
      name: 'tools',
      run_type: 'chain',
      metadata: node('tools'),
      tags: [`graph:step:${step}`],
      inputs: { messages: [answer] },
    });
    for (let at = 0; at < 1 + Math.floor(random() * 3); at += 1) {
      const name = pick(random, tools);
      const tool = begin(acting, {
        name,
        run_type: 'tool',
        metadata: node('tools'),
        tags: [`tool:${name}`],
        inputs: { query: wordOf(random), limit: 10 },
      });
      end(
        tool,
        20 + Math.floor(900 * random() ** 2),
        failing
          ? { error: pick(random, errors) }
          : { outputs: { output: messageOf(random), status: 'success' } },
      );
    }
    messages.push({ type: 'tool', content: messageOf(random), id: uuidOf(random) });
    end(acting, 1, failing ? { error: 'the tools failed' } : { outputs: { messages: messages.slice(-1) } });
    const route = begin(root, {
      name: 'should_continue',
      run_type: 'chain',
      metadata: node('tools'),
      tags: ['seq:step:3'],
      inputs: { messages: messages.slice(-1) },
    });
    end(route, 1, { outputs: { output: 'agent' } });
  }
  end(root, 2, failing ? { error: pick(random, errors) } : { outputs: { messages: [...messages] } });
  return { runs, score: random() < 0.1 ? Math.round(random() * 10) / 10 : undefined };
}
