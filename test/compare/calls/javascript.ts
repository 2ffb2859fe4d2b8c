import { Client as SdkClient } from '@langchain/langgraph-sdk';
import { type Address, type Answer, AT_ONCE, type Call, type Client, type Scenario } from './call.ts';
import { sendRequest } from './request.ts';

/** Calls by `@langchain/langgraph-sdk`. */

type Arguments = Readonly<Record<string, unknown>>;

/** Methods that take by place what Python takes by name. */
const byPlace: Readonly<Record<string, readonly string[]>> = {
  'threads.get_state': ['checkpoint'],
  'runs.cancel': ['wait', 'action'],
};

/** Methods that take by name what Python takes by place. */
const byName: Readonly<Record<string, readonly (readonly [place: number, name: string])[]>> = {
  'assistants.create': [[0, 'graphId']],
  'threads.update_state': [[1, 'values']],
};

export const callByJavaScript: Client = async (scenarios, addresses) => {
  const answers: (readonly Answer[])[] = [];
  const waiting = [...scenarios.entries()];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      answers[next[0]] = await runScenario(next[1], addresses[next[1].project]);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return answers;
};

async function runScenario(scenario: Scenario, address: Address): Promise<readonly Answer[]> {
  const client = new SdkClient({
    apiUrl: address.url,
    apiKey: address.key ?? null,
    defaultHeaders: scenario.headers ?? {},
    callerOptions: { maxRetries: 0 },
  });
  const kept = new KeptAnswers({ client: 'javascript' });
  const answers: Answer[] = [];
  for (const call of scenario.calls) {
    const answer = await repeated(call, () => answerOf(client, call, { kept, scenario, address }));
    if (call.keep !== undefined) kept.keep(call.keep, answer.kind === 'value' ? answer.value : answer);
    answers.push(answer);
  }
  return answers;
}

/** A state that takes a moment is asked for again until it is there, or half a minute has passed. */
async function repeated(call: Call, make: () => Promise<Answer>): Promise<Answer> {
  const end = Date.now() + 30_000;
  for (;;) {
    const answer = await make();
    if (call.until === undefined || JSON.stringify(answer).includes(call.until) || Date.now() > end)
      return answer;
    await new Promise((done) => setTimeout(done, 100));
  }
}

interface CallContext {
  readonly kept: KeptAnswers;
  readonly scenario: Scenario;
  readonly address: Address;
}

async function answerOf(
  client: SdkClient,
  call: Call,
  { kept, scenario, address }: CallContext,
): Promise<Answer> {
  const named = kept.fill(call.with ?? {}) as Arguments;
  if (call.method === 'http')
    return sendRequest(address, { ...named, path: kept.fillText(String(named['path'])) }, scenario.headers);
  try {
    const placed = kept.fill(call.at ?? []) as unknown[];
    const made: unknown = methodOf(client, call.method)(...argumentsOf(call.method, placed, named));
    if (isStream(made)) return { kind: 'stream', events: await eventsOf(made) };
    return { kind: 'value', value: (await made) ?? null };
  } catch (error) {
    return refusalOf(error);
  }
}

function methodOf(client: SdkClient, method: string): (...args: unknown[]) => unknown {
  const [part = '', name = ''] = method.split('.');
  const clients = client as unknown as Record<string, Record<string, (...args: unknown[]) => unknown>>;
  const found = clients[part]?.[camelCase(name)];
  if (found === undefined) throw new Error(`the SDK has no ${method}`);
  return found.bind(clients[part]);
}

function argumentsOf(method: string, placed: readonly unknown[], named: Arguments): unknown[] {
  const moved = byName[method] ?? [];
  const places = byPlace[method] ?? [];
  const given = [
    ...placed.filter((_, place) => !moved.some(([from]) => from === place)),
    ...places.map((name) => named[name]),
  ];
  const options = Object.entries(named).filter(([name]) => !places.includes(name));
  const extra = moved.map(([place, name]) => [name, placed[place]] as const);
  if (method === 'runs.create_batch')
    return [((named['payloads'] ?? placed[0]) as Arguments[]).map(camelCased)];
  return [
    ...given,
    ...(options.length + extra.length === 0
      ? []
      : [{ ...camelCased(Object.fromEntries(options)), ...Object.fromEntries(extra) }]),
  ];
}

const camelCase = (name: string) => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
const camelCased = (named: Arguments) =>
  Object.fromEntries(
    Object.entries(named).map(([name, value]) => [
      camelCase(name),
      name === 'supersteps' ? supersteps(value as Superstep[]) : value,
    ]),
  );

interface Superstep {
  readonly updates: readonly Arguments[];
}

const supersteps = (steps: readonly Superstep[]): unknown =>
  steps.map(({ updates }) => ({ updates: updates.map(camelCased) }));

const isStream = (made: unknown): made is AsyncIterable<{ event: string; data: unknown }> =>
  typeof made === 'object' && made !== null && Symbol.asyncIterator in made;

async function eventsOf(stream: AsyncIterable<{ event: string; data: unknown }>) {
  const events = [];
  for await (const { event, data } of stream) events.push({ event, data });
  return events;
}

function refusalOf(error: unknown): Answer {
  const { status, text } = error as { readonly status?: number; readonly text?: string };
  if (status !== undefined) return { kind: 'refused', status, body: parsed(text ?? '') };
  return {
    kind: 'failed',
    error: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** What earlier calls of a scenario kept, and where later ones name it. */
class KeptAnswers {
  private readonly kept: Record<string, unknown>;

  constructor(known: Readonly<Record<string, unknown>>) {
    this.kept = { ...known };
  }

  keep(name: string, answer: unknown): void {
    this.kept[name] = answer;
  }

  /** The same with every `$name.path` replaced. */
  fill(value: unknown): unknown {
    if (typeof value === 'string' && value.startsWith('$')) return this.find(value.slice(1));
    if (Array.isArray(value)) return value.map((one) => this.fill(one));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, this.fill(one)]));
  }

  /** A text with every `{name.path}` replaced, for paths of requests. */
  fillText(text: string): string {
    return text.replaceAll(/\{([a-z_0-9.]+)\}/g, (_, path: string) => String(this.find(path)));
  }

  private find(path: string): unknown {
    let found: unknown = this.kept;
    for (const name of path.split('.')) found = (found as Record<string, unknown> | undefined)?.[name];
    return found;
  }
}
