import { uuidv7 } from '@roadstead/kit';
import { longestHold, MOST_HELD_MS, useFixture } from '@roadstead/testing';
import { beforeAll, expect, test } from 'vitest';
import { PROJECT, startMcpFixture, turnOf } from './mcp-fixture.ts';

/** Nothing that a tenant stores may hold the event loop, whichever tool or endpoint reads it. */

const trace_id = uuidv7();
const project_name = PROJECT;

const message = (at: number) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content: `message ${at}` });
const messages = (count: number) => Array.from({ length: count }, (_, at) => message(at));
const values = (count: number) => Array.from({ length: count }, (_, at) => ({ at }));
const words = (bytes: number) => 'lorem ipsum dolor '.repeat(bytes / 18);

const fixture = useFixture(startMcpFixture);
beforeAll(async () => {
  for (const [at, count] of [4000, 8000, 12_000, 16_000].entries())
    await fixture().send([
      turnOf({
        thread_id: 'long',
        at,
        inputs: { messages: messages(count - 1) },
        outputs: { messages: messages(count) },
      }),
    ]);
  for (const at of [1, 2, 3])
    await fixture().send([
      turnOf({
        thread_id: 'large',
        at,
        inputs: { text: words(7_200_000) },
        outputs: { text: words(7_200_000) },
      }),
    ]);
  await fixture().send([
    {
      id: trace_id,
      session_name: PROJECT,
      inputs: { list: values(90_000) },
      start_time: '2026-01-01T00:00:00Z',
    },
  ]);
  for (let at = 0; at < 5; at += 1)
    await fixture().send([
      {
        id: uuidv7(),
        trace_id,
        parent_run_id: trace_id,
        start_time: `2026-01-01T00:00:0${at}Z`,
        session_name: PROJECT,
        inputs: { text: words(3_000_000) },
        outputs: { list: values(40_000), text: '\u{1f600}'.repeat(1_000_000) },
        tags: Array.from({ length: 500 }, () => 'x'.repeat(500)),
      },
    ]);
});
const caller = useFixture(() => fixture().connect('client 2.x, HTTP, 2026-07-28'));
const session = useFixture(async () => {
  const { structuredContent } = await caller().call('list_projects', { project_name });
  const { projects } = structuredContent as { projects: { project_id: string }[] };
  return projects[0]?.project_id ?? '';
});

test.each<[string, object]>([
  ['get_thread_history', { thread_id: 'long', page_number: 1 }],
  ['get_thread_history', { thread_id: 'long', page_number: 3, preview_chars: 0 }],
  ['get_thread_history', { thread_id: 'large', page_number: 1, preview_chars: 0 }],
  ['fetch_runs', { limit: 100 }],
  ['fetch_runs', { limit: 100, preview_chars: 0 }],
  ['fetch_runs', { limit: 2000, trace_id, preview_chars: 0 }],
  ['fetch_runs', { limit: 2000, trace_id, page_number: 2 }],
  ['list_projects', { more_info: true, project_name }],
  ['search_runs', { query: 'lorem ipsum', limit: 20 }],
  ['get_run_stats', { group_by: 'tag', limit: 100 }],
  ['list_threads', { min_start_time: '2026-01-01T00:00:00Z' }],
  ['get_trace_tree', { trace_id, project_name: null }],
  ['get_run', { run_id: trace_id, project_name: null }],
  ['get_run', { run_id: trace_id, path: 'inputs.list', page_number: 2, project_name: null }],
])('when %s is called with %j, then it holds nobody up', async (name, given) => {
  let answer: unknown;
  const hold = await longestHold(async () => {
    answer = await caller().call(name, { project_name, ...given });
  });
  expect(answer).not.toHaveProperty('isError', true);
  expect(hold).toBeLessThan(MOST_HELD_MS);
});

test('when a conversation has 16,000 messages, then it is told whole', async () => {
  const { structuredContent } = await caller().call('get_thread_history', {
    thread_id: 'long',
    project_name,
    page_number: 1,
  });
  const { total_pages } = structuredContent as { total_pages: number };
  const last = await caller().call('get_thread_history', {
    thread_id: 'long',
    project_name,
    page_number: total_pages,
  });
  expect(JSON.stringify(last.structuredContent).includes('message 15999')).toBe(true);
});

test.each<[string, () => [string, RequestInit?]]>([
  ['a run', () => [`/runs/${trace_id}`]],
  ['runs', () => ['/runs/query', { method: 'POST', body: JSON.stringify({ session: [session()] }) }]],
  ['turns', () => [`/v2/threads/large/traces?project_id=${session()}&selects=INPUTS&selects=OUTPUTS`]],
  ['projects', () => ['/sessions?include_stats=true']],
])('when the API tells %s, then it holds nobody up', async (_what, of) => {
  const [path, init] = of();
  let status = 0;
  let bytes = 0;
  const hold = await longestHold(async () => {
    const response = await fetch(fixture().api_url + path, {
      ...init,
      headers: {
        'x-api-key': fixture().headers['SERVICE-API-KEY'] ?? '',
        'content-type': 'application/json',
      },
    });
    status = response.status;
    for await (const chunk of response.body ?? []) bytes += (chunk as Uint8Array).length;
  });
  expect(status).toBe(200);
  expect(bytes).toBeGreaterThan(100);
  expect(hold).toBeLessThan(MOST_HELD_MS);
});
