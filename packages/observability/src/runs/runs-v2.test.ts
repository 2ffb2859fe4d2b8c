import { useFixture } from '@roadstead/testing';
import { Client } from 'langsmith';
import { RunV2 } from '@roadstead/contracts/observability';
import { uuidv7 } from '@roadstead/kit';
import { beforeAll, expect, it } from 'vitest';
import { multipartInit, startFixture, WORKSPACE } from '../testing/observability-fixture.ts';

/** Runs and traces in the second generation of the API, read by the client that LangSmith generates for it. */

const [root, child, old, file] = [uuidv7(), uuidv7(), uuidv7(), uuidv7()];
/** One instant for all, so that no time between two of them becomes part of a duration. */
const now = Date.now();
const minutes_ago = (minutes: number) => new Date(now - minutes * 60_000);
const stamp = (at: Date) => `${at.toISOString().replaceAll(/[-:.]/g, '').slice(0, -1)}000Z`;
const began = minutes_ago(5);
const all = RunV2.keyof().options.map((name) => name.toUpperCase());

const fixture = useFixture(startFixture);
const http = useFixture(() => fixture().listen());
const client = useFixture(() => new Client({ apiUrl: `${http().url}/api`, apiKey: `key-${WORKSPACE}` }));
beforeAll(async () => {
  const place = { trace_id: root, session_name: 'second' };
  const post = [
    {
      ...place,
      id: root,
      dotted_order: `${stamp(began)}${root}`,
      name: 'turn',
      run_type: 'chain',
      start_time: began.toISOString(),
      inputs: { question: 'why\n?' },
      extra: { metadata: { tenant: 'acme' } },
      tags: ['blue'],
    },
    {
      ...place,
      id: child,
      parent_run_id: root,
      dotted_order: `${stamp(began)}${root}.${stamp(minutes_ago(4))}${child}`,
      name: 'model',
      run_type: 'llm',
      start_time: minutes_ago(4).toISOString(),
      end_time: minutes_ago(3).toISOString(),
      error: 'broken',
      outputs: {
        usage_metadata: {
          input_tokens: 3,
          output_tokens: 4,
          input_cost: 0.5,
          output_cost: 0.25,
          input_token_details: { cache_read: 2 },
        },
      },
    },
    {
      id: old,
      trace_id: old,
      dotted_order: `${stamp(minutes_ago(2000))}${old}`,
      name: 'old',
      run_type: 'tool',
      start_time: minutes_ago(2000).toISOString(),
      end_time: minutes_ago(1999).toISOString(),
      session_name: 'second',
    },
  ];
  await fixture().send('/runs/batch', { method: 'POST', body: JSON.stringify({ post }) });
  const feedback = { id: uuidv7(), run_id: child, trace_id: root, key: 'good', score: 0.5 };
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
        .listSessions({ query: { name: 'second' } })
    )[0]?.id ?? '',
);

const idsOf = async (query: object) => {
  const ids: (string | undefined)[] = [];
  for await (const run of client().runs.query({ project_ids: [project_id()], ...query })) ids.push(run.id);
  return ids;
};

it('when a query names no beginning and no runs, then it looks at the last day', async () => {
  expect(await idsOf({})).toEqual([child, root]);
  expect(await idsOf({ sort_order: 'asc', min_start_time: '2020-01-01T00:00:00Z' })).toEqual([
    old,
    root,
    child,
  ]);
  expect(await idsOf({ ids: [old] })).toEqual([old]);
  expect(await idsOf({ trace_id: old })).toEqual([old]);
  expect(await idsOf({ max_start_time: minutes_ago(4.5).toISOString() })).toEqual([root]);
});

it('when runs are queried, then they are paged and narrowed down', async () => {
  const everything = { min_start_time: '2020-01-01T00:00:00Z' };
  expect(await idsOf({ ...everything, page_size: 1 })).toEqual([child, root, old]);
  expect(await idsOf({ ...everything, is_root: true })).toEqual([root, old]);
  expect(await idsOf({ ...everything, run_type: 'LLM' })).toEqual([child]);
  expect(await idsOf({ ...everything, has_error: true })).toEqual([child]);
});

it('when fields are selected, then those are answered and nothing else', async () => {
  const [bare] = (await client().runs.query({ project_ids: [project_id()], page_size: 1 })).items;
  expect(bare).toEqual({ id: child });
  const selects = all as never;
  const run = await client().runs.retrieve(child, { project_id: project_id(), selects });
  expect(Object.keys(run).toSorted()).toEqual(RunV2.keyof().options.toSorted());
  expect(run).toMatchObject({
    id: child,
    status: 'ERROR',
    run_type: 'LLM',
    project_id: project_id(),
    trace_id: root,
    is_root: false,
    parent_run_ids: [root],
    latency_seconds: 60,
    total_tokens: 7,
    total_cost: 0.75,
    prompt_token_details: { raw: { cache_read: 2 } },
    feedback_stats: { good: { n: 1, avg: 0.5, errors: 0 } },
    error: 'broken',
    metadata: { ls_run_depth: 1 },
    extra: { metadata: { ls_run_depth: 1 } },
  });
  expect(run.start_time).toMatch(/\.\d{6}\+00:00$/);
  const top = await client().runs.retrieve(root, { project_id: project_id(), selects });
  expect(top).toMatchObject({
    status: 'PENDING',
    metadata: { tenant: 'acme', ls_run_depth: 0 },
    end_time: null,
  });
});

it('when traces are listed, then they are told by their roots, with what all runs add up to', async () => {
  const selects = ['ID', 'NAME', 'TOTAL_TOKENS', 'TOTAL_COST', 'FIRST_TOKEN_TIME'] as never;
  const page = await client().traces.query({ project_id: project_id(), selects });
  expect(page.items).toEqual([
    {
      root_run: { id: root, name: 'turn' },
      trace_aggregates: { total_tokens: 7, total_cost: 0.75, first_token_time: null },
    },
  ]);
  const bare = await client().traces.query({ project_id: project_id(), trace_ids: [old] });
  expect(bare.items).toEqual([{ root_run: { id: old } }]);
  const runs = await client().traces.listRuns(root, { project_id: project_id(), selects: ['ID', 'NAME'] });
  expect(runs.items).toEqual([
    { id: root, name: 'turn' },
    { id: child, name: 'model' },
  ]);
});

it('when events are accepted, then a page is told as events, each on one line', async () => {
  const answer = await fixture().send('/v2/runs/query', {
    method: 'POST',
    headers: { accept: 'text/event-stream' },
    body: JSON.stringify({ project_ids: [project_id()], is_root: true, selects: ['ID', 'INPUTS'] }),
  });
  expect(answer.headers.get('content-type')).toBe('text/event-stream');
  const [data = '', end] = (await answer.text()).trimEnd().split('\n\n');
  const [event, line = '', ...more] = data.split('\n');
  expect([event, more, end]).toEqual(['event: data', [], 'event: end\ndata: {}']);
  expect(JSON.parse(line.replace('data: ', ''))).toEqual([
    {
      op: 'add',
      path: '',
      value: { items: [{ id: root, inputs: { question: 'why\n?' } }], next_cursor: null, has_more: false },
    },
  ]);
});

it('when a run has files, then each has an address that needs no key', async () => {
  const run = {
    id: file,
    trace_id: file,
    dotted_order: `${stamp(began)}${file}`,
    start_time: began.toISOString(),
  };
  const parts = [
    [`post.${file}`, JSON.stringify({ ...run, name: 'filed', run_type: 'tool', session_name: 'files' })],
    [`attachment.${file}.notes`, 'hello', 'Content-Type: text/plain'],
  ] as const;
  await fixture().send('/runs/multipart', multipartInit(parts));
  const project =
    (
      await fixture()
        .client()
        .listSessions({ query: { name: 'files' } })
    )[0]?.id ?? '';
  const { attachments } = await client().runs.retrieve(file, {
    project_id: project,
    selects: ['ATTACHMENTS'],
  });
  const v1 = (await (await fixture().send(`/runs/${file}`)).json()) as { s3_urls: Record<string, object> };
  expect(v1.s3_urls).toMatchObject({ 'attachment.notes': { mime_type: 'text/plain' } });
  const address = new URL(attachments?.['notes'] ?? '');
  const answer = await fixture().service.served.fetch(new Request(address), {});
  expect([answer.status, await answer.text()]).toEqual([200, 'hello']);
});

it('when the page of a run is asked for, then its address is told, and none of a foreign run', async () => {
  const { url } = await client().runs.getURL(root, { project_id: project_id(), trace_id: root });
  expect(url).toMatch(new RegExp(`^http://test/o/${WORKSPACE}/projects/p/${project_id()}/r/${root}\\?`));
  for (const path of [`/v2/runs/${root}?`, `/v2/runs/${root}/url?`, `/v2/traces/${root}/runs?`]) {
    expect((await fixture().send(`${path}project_id=${project_id()}`)).status).toBe(200);
    expect((await fixture().send(`${path}project_id=${uuidv7()}`)).status).toBe(404);
    const foreign = await fixture().send(`${path}project_id=${project_id()}`, { workspace_id: uuidv7() });
    expect(foreign.status).toBe(404);
  }
});

it.each<[object, number, string]>([
  [{}, 422, 'project_ids'],
  [{ project_ids: [uuidv7()], reference_dataset_id: uuidv7() }, 422, 'reference_dataset_id'],
  [{ project_ids: [uuidv7()] }, 404, 'project'],
  [{ project_ids: [uuidv7()], selects: ['DANCE'] }, 422, 'selects'],
  [{ project_ids: [uuidv7()], page_size: 1001 }, 422, 'page_size'],
  [{ project_ids: [uuidv7()], ai_search: 'the slow ones' }, 404, 'project'],
])('when the query is %j, then it is refused with %i', async (body, status, word) => {
  const answer = await fixture().send('/v2/runs/query', { method: 'POST', body: JSON.stringify(body) });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'application/problem+json']);
  expect(await answer.text()).toContain(word);
});

it('when a question is in natural language, then it is refused in words, once for all', async () => {
  const body = JSON.stringify({ project_ids: [project_id()], ai_search: 'the slow ones' });
  const answer = await fixture().send('/v2/runs/query', { method: 'POST', body });
  expect([answer.status, answer.headers.get('x-should-retry')]).toEqual([501, 'false']);
  expect(await answer.json()).toMatchObject({
    detail: expect.stringContaining('ai_search') as string,
    remedy: expect.any(String) as string,
  });
});
