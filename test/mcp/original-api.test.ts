import type { ServerResponse } from 'node:http';
import { useFixture } from '@roadstead/testing';
import { describe, expect, test } from 'vitest';
import { answer, type OriginalApi, startOriginalApi } from './captured/original-api.ts';
import { ID, OTHER_ID, variants } from './captured/original-records.ts';
import { type Answer, type Arguments, type Caller, type McpFixture, startMcpFixture } from './mcp-fixture.ts';
import { type KnownInputs, type ListedTool, type Shape, shapesOf } from './shapes.ts';
import { judgeOf } from './sound-answer.ts';
import { inTurns } from './turns.ts';

/** Every tool that reads, before an API that is not ours: it answers, or says what is wrong; and our key stays here. */

const THEIR_KEY = 'theirs';
/** The original has none. */
const needsControlPlane = /deployment|revision/;
/** Nothing but what says of which dataset they are tells experiments. */
const needsWhole = /compare_experiments/;

const known: KnownInputs = {
  values: {
    project_name: 'project',
    limit: 5,
    page_number: 1,
    trace_id: ID,
    run_id: ID,
    thread_id: 'thread',
    dataset_id: ID,
    dataset_name: 'project',
    dataset_ids: [ID],
    example_id: ID,
    example_ids: [ID],
    reference_dataset_id: ID,
    reference_dataset_name: 'project',
    reference_example_id: ID,
    prompt_name: 'greeting',
    filter: 'eq(run_type, "llm")',
    trace_filter: 'eq(run_type, "llm")',
    tree_filter: 'eq(run_type, "llm")',
    metadata: { a: 'b' },
    min_start_time: '2026-01-01T00:00:00Z',
    max_start_time: '2026-08-01T00:00:00Z',
    starting_on: '2026-01-01',
    ending_before: '2026-08-01',
    max_chars_per_page: 2000,
    experiments: JSON.stringify([ID, OTHER_ID]),
  },
  needs: {
    list_examples: ['dataset_id'],
    read_dataset: ['dataset_id'],
    list_experiments: ['reference_dataset_id'],
    get_trace_tree: ['trace_id'],
  },
};

const explaining = new Set(['push_prompt', 'create_dataset', 'update_examples', 'run_experiment']);
const explains = (tool: string) => explaining.has(tool);

interface Elsewhere extends AsyncDisposable {
  readonly api: OriginalApi;
  readonly fixture: McpFixture;
  readonly caller: Caller;
  readonly tools: ListedTool[];
}

async function openElsewhere(variant: (typeof variants)[number]): Promise<Elsewhere> {
  await using stack = new AsyncDisposableStack();
  const api = stack.use(await startOriginalApi(variant));
  const fixture = stack.use(await startMcpFixture({ allowed_endpoints: [api.url] }));
  const headers = { 'Service-Endpoint': api.url, Authorization: `Bearer ${THEIR_KEY}` };
  const caller = stack.use(await fixture.connect('client 2.x, HTTP, 2025', { headers }));
  const { tools } = (await caller.listTools()) as { tools: ListedTool[] };
  const opened = stack.move();
  return { api, fixture, caller, tools, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

const codeOf = ({ structuredContent }: Answer) =>
  (structuredContent as { error?: { code?: unknown } } | undefined)?.error?.code;

const callsOf = (tools: readonly ListedTool[]): Shape[] =>
  tools.flatMap((tool) => shapesOf(tool, known)).filter(({ as_published }) => as_published === true);

describe.each(variants)('when the records are %s', (variant) => {
  const elsewhere = useFixture(() => openElsewhere(variant));

  test('when every tool that reads is called, then each finds something, and nothing is a bug', async () => {
    const { tools, caller, api } = elsewhere();
    const judge = judgeOf(tools);
    const found = new Set<string>();
    const faults = await inTurns(callsOf(tools), async (shape) => {
      const told = await caller.call(shape.tool, shape.given);
      if (told.isError !== true) found.add(shape.tool);
      return judge(shape, told).map(
        (fault) => `${shape.says} ${fault}: ${JSON.stringify(told).slice(0, 300)}`,
      );
    });
    expect(faults).toEqual([]);
    const readable = tools
      .map(({ name }) => name)
      .filter((name) => !needsControlPlane.test(name))
      .filter((name) => variant === 'whole' || !needsWhole.test(name));
    expect(readable.filter((name) => !found.has(name))).toEqual([]);
    expect([...api.keys]).toEqual([THEIR_KEY]);
  });
});

describe('when it is ill', () => {
  const elsewhere = useFixture(() => openElsewhere('whole'));

  const page = '<!doctype html><title>Bad gateway</title>';
  const html = (status: number) => (response: ServerResponse) =>
    response.writeHead(status, { 'content-type': 'text/html' }).end(page);
  const json = (status: number) => (response: ServerResponse) =>
    answer(response, status, { detail: 'In words.' });

  test.each<[string, (response: ServerResponse) => void, string]>([
    ['refuses the key', json(401), 'unauthorized'],
    ['forbids', json(403), 'forbidden'],
    ['has too much to do', json(429), 'rate_limited'],
    ['fails', json(500), 'upstream_error'],
    ['is behind a gateway that fails', html(502), 'upstream_error'],
    ['is away', json(503), 'unavailable'],
    ['takes too long for its gateway', json(504), 'upstream_timeout'],
    ['answers a page', html(200), 'upstream_error'],
    ['answers something else', (response) => answer(response, 200, { hello: 'world' }), 'upstream_error'],
    ['answers nothing', (response) => response.writeHead(200).end(), 'upstream_error'],
    ['breaks off', (response) => response.destroy(), 'unreachable'],
    [
      'sends elsewhere',
      (response) => response.writeHead(302, { location: '/elsewhere' }).end(),
      'unreachable',
    ],
  ])('when it %s, then every tool says so', async (_what, ill, code) => {
    const { tools, caller, api } = elsewhere();
    api.ill = ill;
    const judge = judgeOf(tools);
    const asking = callsOf(tools)
      .filter(({ says }) => says.endsWith('what it needs'))
      .filter(({ tool }) => !needsControlPlane.test(tool));
    const codes = new Set<unknown>();
    const faults = await inTurns(asking, async (shape) => {
      const told = await caller.call(shape.tool, shape.given);
      const wrong = judge(shape, told);
      if (told.isError === true) codes.add(codeOf(told));
      // What explains something asks nobody.
      else if (!explains(shape.tool)) wrong.push('answers all the same');
      return wrong.map((fault) => `${shape.says} ${fault}: ${JSON.stringify(told).slice(0, 300)}`);
    });
    api.ill = undefined;
    expect(faults).toEqual([]);
    expect([...codes]).toEqual([code]);
    expect(api.paths.join(' ')).not.toContain('elsewhere');
    expect([...api.keys]).toEqual([THEIR_KEY]);
  });
});

describe('with routes of one generation only', () => {
  const elsewhere = useFixture(() => openElsewhere('whole'));

  test.each<[string, RegExp, string, Arguments, object]>([
    [
      'the second',
      /^\/runs\/query$/,
      'fetch_runs',
      { project_name: 'project', limit: 5 },
      { runs: [{ id: ID, session_id: ID, status: 'success', run_type: 'llm' }], has_more: false },
    ],
    [
      'the first',
      /^\/v2\//,
      'get_thread_history',
      { project_name: 'project', thread_id: 'a "b"', page_number: 1 },
      { result: [{ role: 'user', content: 'Hello?' }, { role: 'assistant' }] },
    ],
  ])(
    'when the other is missing, then %s is asked in its place',
    async (_which, missing, tool, given, expected) => {
      const { api, caller } = elsewhere();
      api.missing = missing;
      const told = await caller.call(tool, given);
      expect(told.isError, JSON.stringify(told)).not.toBe(true);
      expect(told.structuredContent).toMatchObject(expected);
    },
  );

  test('when neither is there, then that is said', async () => {
    const { api, caller } = elsewhere();
    api.missing = /runs\/query$|threads/;
    for (const [tool, given] of [
      ['fetch_runs', { limit: 5 }],
      ['get_thread_history', { thread_id: 'thread', page_number: 1 }],
    ] as const) {
      const told = await caller.call(tool, { project_name: 'project', ...given });
      expect([told.isError, codeOf(told)]).toEqual([true, 'not_found']);
    }
  });
});
