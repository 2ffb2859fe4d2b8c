import { useFixture } from '@roadstead/testing';
import { Client } from 'langsmith';
import { uuidv7 } from '@roadstead/kit';
import { beforeAll, expect, it } from 'vitest';
import { multipartInit, startFixture, WORKSPACE } from '../testing/observability-fixture.ts';

/** Threads, read by the client that LangSmith generates for them. */

/** The clock is read once: otherwise the time between two readings would lengthen a turn. */
const begun = Date.now() - 3_600_000;
const second = (at: number) => new Date(begun + at * 1000).toISOString();
const roots = new Map<string, string>();

/** A turn with a call of a model below it. */
function turnOf(
  thread_id: string,
  at: number,
  more: { error?: string; tool?: string; project?: string } = {},
) {
  const [root, child] = [uuidv7(), uuidv7()];
  roots.set(`${thread_id}/${at}`, root);
  const { error, tool = 'model', project = 'threads' } = more;
  const run = { trace_id: root, session_name: project, start_time: second(at) };
  const messages = (list: readonly (readonly [string, string])[]) => ({
    messages: list.map(([type, content]) => ({ type, content })),
  });
  return [
    {
      ...run,
      id: root,
      dotted_order: `x${root}`,
      name: 'turn',
      run_type: 'chain',
      end_time: second(at + 2),
      inputs: messages([['human', `question ${at}`]]),
      outputs: messages([
        ['human', `question ${at}`],
        ['ai', `answer ${at}`],
      ]),
      extra: { metadata: { thread_id, tier: error === undefined ? 'free' : 'paid' } },
      ...(error === undefined ? {} : { error }),
    },
    {
      ...run,
      id: child,
      parent_run_id: root,
      dotted_order: `x${root}.y${child}`,
      name: tool,
      run_type: 'llm',
      outputs: {
        usage_metadata: {
          input_tokens: 10,
          output_tokens: 5,
          input_cost: 0.01,
          output_cost: 0.02,
          input_token_details: { cache_read: 4 },
        },
      },
    },
  ];
}

const fixture = useFixture(startFixture);
const http = useFixture(() => fixture().listen());
const client = useFixture(() => new Client({ apiUrl: `${http().url}/api`, apiKey: `key-${WORKSPACE}` }));
beforeAll(async () => {
  const post = [
    ...turnOf('a', 10),
    ...turnOf('a', 40, { error: 'broken' }),
    ...turnOf('a', 20),
    ...turnOf('b', 30, { tool: 'search' }),
    ...turnOf('c "quoted"', 50),
    ...turnOf('old', -200_000),
    ...turnOf('a', 60, { project: 'elsewhere' }),
  ];
  await fixture().send('/runs/batch', { method: 'POST', body: JSON.stringify({ post }) });
  const feedback = {
    id: uuidv7(),
    run_id: roots.get('a/10'),
    trace_id: roots.get('a/10'),
    key: 'good',
    score: 1,
  };
  await fixture().send(
    '/runs/multipart',
    multipartInit([[`feedback.${feedback.id}`, JSON.stringify(feedback)]]),
  );
});
const project_id = useFixture(
  async () =>
    (
      await fixture()
        .client()
        .listSessions({ query: { name: 'threads' } })
    )[0]?.id ?? '',
);

const idsOf = async (query: object) => {
  const ids: (string | undefined)[] = [];
  for await (const thread of client().threads.query({ project_id: project_id(), ...query }))
    ids.push(thread.thread_id);
  return ids;
};
const always = { min_start_time: '2020-01-01T00:00:00Z' };

it('when threads are listed, then those of the last day come by their last turn, page by page', async () => {
  expect(await idsOf({})).toEqual(['c "quoted"', 'a', 'b']);
  expect(await idsOf({ page_size: 1 })).toEqual(['c "quoted"', 'a', 'b']);
  expect(await idsOf({ ...always, page_size: 2 })).toEqual(['c "quoted"', 'a', 'b', 'old']);
  expect(await idsOf({ max_start_time: second(35) })).toEqual(['b', 'a']);
});

it('when a window is given, then each thread is summed up within it', async () => {
  const page = await client().threads.query({ project_id: project_id() });
  const a = page.items.find((thread) => thread.thread_id === 'a');
  expect(a).toMatchObject({
    count: 3,
    num_errored_turns: 1,
    first_trace_id: roots.get('a/10'),
    last_trace_id: roots.get('a/40'),
    first_inputs: expect.stringContaining('question 10') as string,
    last_outputs: expect.stringContaining('answer 40') as string,
    last_error: 'broken',
    latency_p50: 2,
    latency_p99: 2,
    total_tokens: 45,
    total_token_details: { cache_read: 12 },
    feedback_stats: { good: { n: 1, avg: 1 } },
  });
  expect(a?.total_cost).toBeCloseTo(0.09, 10);
  const narrow = await client().threads.query({ project_id: project_id(), max_start_time: second(15) });
  expect(narrow.items).toMatchObject([{ thread_id: 'a', count: 1, num_errored_turns: 0 }]);
});

it.each<[object, string[]]>([
  [{ filter: 'eq(status, "error")' }, ['a']],
  [{ filter: 'and(eq(metadata_key, "tier"), eq(metadata_value, "paid"))' }, ['a']],
  [{ trace_filter: 'eq(name, "turn")' }, ['c "quoted"', 'a', 'b']],
  [{ tree_filter: 'eq(name, "search")' }, ['b']],
  // Each condition holds for another turn of the thread.
  [{ filter: 'eq(status, "error")', trace_filter: 'eq(status, "success")' }, ['a']],
  [{ filter: 'eq(status, "error")', tree_filter: 'eq(name, "search")' }, []],
  [{ thread_filter: 'gt(count, 1)' }, ['a']],
  [{ thread_filter: 'and(lt(total_tokens, 20), neq(thread_id, "b"))' }, ['c "quoted"']],
  [{ thread_filter: 'eq(feedback_key, "good")' }, ['a']],
  [
    { thread_filter: 'eq(num_errored_turns, 0)', filter: 'eq(name, "turn")', page_size: 1 },
    ['c "quoted"', 'b'],
  ],
])('when threads are asked for by %j, then those are found', async (query, ids) => {
  expect(await idsOf(query)).toEqual(ids);
});

it('when the turns of a thread are listed, then each has every field, and its number among all', async () => {
  const selects = [
    'NAME',
    'OP',
    'TURN_NUMBER',
    'TOTAL_TOKENS',
    'PROMPT_TOKEN_DETAILS',
    'ERROR',
    'LATENCY',
  ] as never;
  const all = await client().threads.listTraces('a', { project_id: project_id(), selects });
  expect(all.items).toMatchObject([
    { trace_id: roots.get('a/10'), turn_number: 1, error: null },
    {
      trace_id: roots.get('a/20'),
      turn_number: 2,
      total_tokens: 15,
      prompt_token_details: { raw: { cache_read: 4 } },
    },
    { trace_id: roots.get('a/40'), turn_number: 3, error: 'broken', latency: 2 },
  ]);
  const failed = await client().threads.listTraces('a', {
    project_id: project_id(),
    selects,
    filter: 'eq(status, "error")',
  });
  expect(failed.items).toMatchObject([{ trace_id: roots.get('a/40'), turn_number: 3 }]);
});

it('when one thread is summed up, then only the turns that pass count', async () => {
  const selects = ['TURNS', 'LATENCY_P99', 'PROMPT_COST', 'PROMPT_TOKEN_DETAILS', 'FEEDBACK_STATS'] as never;
  const stats = await client().threads.stats('a', { session_id: project_id(), selects });
  expect(stats).toMatchObject({
    turns: 3,
    latency_p99_seconds: 2,
    prompt_token_details: { raw: { cache_read: 12 } },
    feedback_stats: { good: { n: 1 } },
  });
  expect(stats.prompt_cost).toBeCloseTo(0.03, 10);
  const one = await client().threads.stats('a', {
    session_id: project_id(),
    selects: ['TURNS'],
    filter: 'eq(status, "error")',
  });
  expect(one).toEqual({ turns: 1 });
  const none = await client().threads.stats('nobody', {
    session_id: project_id(),
    selects: ['TURNS', 'TOTAL_COST', 'FEEDBACK_STATS'],
  });
  expect(none).toEqual({ turns: 0, total_cost: null, feedback_stats: {} });
});

it('when the threads of a project are summed up, then all count, or those that pass', async () => {
  const select = [
    'THREAD_COUNT',
    'TRACE_COUNT',
    'ERROR_RATE',
    'TOTAL_TOKENS',
    'COMPLETION_TOKEN_DETAILS',
  ] as const;
  const totals = async (more: object) =>
    fixture()
      .client()
      .readThreadTotals({ body: { project_id: project_id(), select: [...select], ...more } });
  expect(await totals({})).toMatchObject({
    thread_count: 3,
    trace_count: 5,
    error_rate: 0.2,
    total_tokens: 75,
    completion_token_details: {},
  });
  expect(await totals({ ...always })).toMatchObject({ thread_count: 4, trace_count: 6 });
  expect(await totals({ filter: 'eq(status, "error")' })).toMatchObject({ thread_count: 1, trace_count: 3 });
  expect(await totals({ thread_filter: 'lt(count, 2)' })).toMatchObject({ thread_count: 2, trace_count: 2 });
});

it('when a thread is read, then each message that was said in it is told once', async () => {
  const read = async (select: string) => {
    const answer = await fixture().send(`/runs/threads/a?session_id=${project_id()}&${select}`);
    const { previews } = (await answer.json()) as { previews: Record<string, string> };
    return Object.fromEntries(
      Object.entries(previews).map(([form, text]) => [
        form,
        text.split('\n\n').map((line) => (JSON.parse(line) as { content: string }).content),
      ]),
    );
  };
  const all = [10, 20, 40].flatMap((at) => [`question ${at}`, `answer ${at}`]);
  expect(await read('select=all_messages')).toEqual({ all_messages: all });
  expect(await read('select=human_ai_pairs&select=first_human_last_ai')).toEqual({
    human_ai_pairs: all,
    first_human_last_ai: ['question 10', 'answer 40'],
  });
  const run = await fixture().send(`/runs/${roots.get('a/10')}?include_messages=true`);
  expect(await run.json()).toMatchObject({
    messages: [
      { role: 'user', content: 'question 10' },
      { role: 'assistant', content: 'answer 10' },
    ],
  });
  const bare = await fixture().send(`/runs/${roots.get('a/10')}`);
  expect(await bare.json()).toMatchObject({ messages: null });
});

it('when there are very many turns, then a few long threads are found among them', async () => {
  const turns = Array.from({ length: 1300 }, (_, at) => {
    const id = uuidv7();
    const thread_id = `long ${at % 3}`;
    return {
      id,
      trace_id: id,
      dotted_order: `x${id}`,
      name: 'turn',
      run_type: 'chain',
      start_time: second(at),
      session_name: 'long',
      extra: { metadata: { thread_id } },
    };
  });
  await fixture().send('/runs/batch', { method: 'POST', body: JSON.stringify({ post: turns }) });
  const id =
    (
      await fixture()
        .client()
        .listSessions({ query: { name: 'long' } })
    )[0]?.id ?? '';
  const pages = [
    await client().threads.query({ project_id: id }),
    await client().threads.query({ project_id: id, page_size: 2 }),
  ];
  expect(pages[0]?.items.map((thread) => thread.count)).toEqual([434, 433, 433]);
  const rest = await pages[1]?.getNextPage();
  expect(rest?.items.map((thread) => thread.thread_id)).toEqual(['long 1']);
});

it.each<[string, object, number]>([
  ['/v2/threads/query', { project_id: uuidv7() }, 404],
  ['/v2/threads/query', { project_id: 'x' }, 422],
  ['/v2/threads/query', { project_id: uuidv7(), filter: 'eq(' }, 400],
  ['/v2/threads/query', { project_id: uuidv7(), thread_filter: 'eq(run_type, "llm")' }, 400],
  ['/v2/threads/query', { project_id: uuidv7(), ai_search: 'angry people' }, 501],
  ['/v2/threads/stats', { project_id: uuidv7(), select: ['THREAD_COUNT'] }, 404],
  ['/v2/threads/stats', { project_id: uuidv7(), select: [] }, 422],
])('when %s is asked for %j, then it refuses that with %i', async (path, body, status) => {
  expect((await fixture().send(path, { method: 'POST', body: JSON.stringify(body) })).status).toBe(status);
});
