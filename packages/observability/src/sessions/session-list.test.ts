import { uuidv7 } from '@roadstead/kit';
import { useFixture } from '@roadstead/testing';
import { beforeAll, expect, it } from 'vitest';
import { OTHER_WORKSPACE, startFixture } from '../testing/observability-fixture.ts';

const ids = new Map<string, string>();
const idOf = (name: string) => ids.get(name) ?? '';

interface TraceSpec {
  readonly project: string;
  readonly seconds: number;
  readonly start_time: string;
  readonly metadata?: object;
  readonly tags?: readonly string[];
  readonly child?: boolean;
}

async function send({ project, seconds, start_time, metadata = {}, tags = [] }: TraceSpec): Promise<string> {
  const id = uuidv7();
  const end_time = new Date(Date.parse(start_time) + seconds * 1000).toISOString();
  const run = { id, trace_id: id, dotted_order: id, name: 'turn', run_type: 'chain', session_name: project };
  const body = { ...run, start_time, end_time, tags, extra: { metadata } };
  expect((await fixture().send('/runs', { method: 'POST', body: JSON.stringify(body) })).status).toBe(202);
  return id;
}

const searchOf = (query: Record<string, string>) => new URLSearchParams(query).toString();

async function listed(query: Record<string, string>): Promise<Record<string, unknown>[]> {
  const answer = await fixture().send(`/sessions?${searchOf(query)}`);
  expect(answer.status).toBe(200);
  return (await answer.json()) as Record<string, unknown>[];
}
/** The names, without the project that ingestion makes for runs that name none. */
const names = async (query: Record<string, string>) =>
  (await listed(query)).map(({ name }) => name).filter((name) => name !== 'default');

const fixture = useFixture(startFixture);
beforeAll(async () => {
  const client = fixture().client();
  const made = [
    { name: 'alpha', extra: { metadata: { team: 'search', dataset_version: '2026-01-01T00:00:00Z' } } },
    { name: 'beta', description: 'Answers invoices', extra: { metadata: { team: 'billing' } } },
    { name: 'gamma' },
  ];
  for (const body of made) ids.set(body.name, (await client.createSession({ body })).id);
  const runs: string[] = [];
  runs.push(
    await send({
      project: 'alpha',
      seconds: 1,
      start_time: '2026-01-05T10:00:00Z',
      metadata: { who: 'ada' },
    }),
  );
  runs.push(
    await send({
      project: 'alpha',
      seconds: 3,
      start_time: '2026-01-06T10:00:00Z',
      metadata: { who: 'ada' },
    }),
  );
  runs.push(
    await send({
      project: 'alpha',
      seconds: 5,
      start_time: '2026-01-08T10:00:00Z',
      metadata: { who: 'bob' },
    }),
  );
  await send({ project: 'beta', seconds: 20, start_time: '2026-01-07T10:00:00Z', tags: ['hot'] });
  const feedback = [
    { session_id: idOf('alpha'), key: 'quality', score: 0.2 },
    { session_id: idOf('beta'), key: 'quality', score: 0.9 },
    ...[1, 0, 1].map((score, index) => ({ run_id: runs[index], key: 'right', score })),
    { run_id: runs[0], key: 'unscored', comment: 'No score.' },
  ];
  for (const body of feedback)
    await fixture().send('/feedback', { method: 'POST', body: JSON.stringify(body) });
});

it.each([
  [{ sort_by: 'latency_p99' }, ['beta', 'alpha', 'gamma']],
  [{ sort_by: 'latency_p99', sort_by_desc: 'false' }, ['alpha', 'beta', 'gamma']],
  [{ sort_by: 'last_run_start_time' }, ['alpha', 'beta', 'gamma']],
  [{ sort_by: 'runs_count', limit: '1', offset: '1' }, ['beta']],
  [
    { sort_by: 'feedback', sort_by_feedback_key: 'quality', sort_by_feedback_source: 'session' },
    ['beta', 'alpha', 'gamma'],
  ],
  [{ sort_by: 'name', sort_by_desc: 'false', filter: 'eq(metadata_key, "team")' }, ['alpha', 'beta']],
  [{ filter: 'and(eq(metadata_key, "team"), eq(metadata_value, "billing"))' }, ['beta']],
  [{ filter: 'and(eq(feedback_key, "quality"), lt(feedback_score, 0.5))' }, ['alpha']],
  [{ filter: 'gt(latency_p50, "10s")' }, ['beta']],
  [{ filter: 'search("invoice")' }, ['beta']],
  [{ dataset_version: '2026-01-01T00:00:00Z' }, ['alpha']],
])('when projects are asked for by %j, then they are found and sorted by that', async (query, expected) => {
  expect(await names(query as Record<string, string>)).toEqual(expected);
});

it('when a filter is wrong, then the refusal names the place', async () => {
  const answer = await fixture().send(`/sessions?${searchOf({ filter: 'eq(naem, "x")' })}`);
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain('name');
});

it('when statistics begin at an instant, then they are of a part of its day and of later days', async () => {
  const since = async (stats_start_time: string) =>
    (await listed({ name: 'alpha', include_stats: 'true', stats_start_time }))[0];
  expect(await since('2026-01-01T00:00:00Z')).toMatchObject({ run_count: 3 });
  expect(await since('2026-01-06T09:00:00Z')).toMatchObject({ run_count: 2 });
  expect(await since('2026-01-06T12:00:00Z')).toMatchObject({
    run_count: 1,
    latency_p50: expect.closeTo(5, 1) as number,
  });
  const read = await fixture().send(
    `/sessions/${idOf('alpha')}?include_stats=true&stats_start_time=2026-01-07`,
  );
  expect(read.status).toBe(422);
});

it('when facets are asked for, then they tell what the newest runs are like', async () => {
  const [alpha] = await listed({ name: 'alpha', facets: 'true' });
  expect(alpha?.['run_facets']).toEqual(
    expect.arrayContaining([
      { key: 'name', value: 'turn', n: 3, query: 'eq(name, "turn")' },
      {
        key: 'metadata.who',
        value: 'ada',
        n: 2,
        query: 'and(eq(metadata_key, "who"), eq(metadata_value, "ada"))',
      },
    ]),
  );
  const [beta] = await listed({ name: 'beta', facets: 'true' });
  expect(beta?.['run_facets']).toContainEqual({ key: 'tag', value: 'hot', n: 1, query: 'has(tags, "hot")' });
  const metadata = async (query: string) =>
    (await fixture().send(`/sessions/${idOf('alpha')}/metadata${query}`)).json();
  expect(await metadata('?metadata_keys=who')).toEqual({ who: ['ada', 'bob'] });
  expect(await metadata('?metadata_keys=who&k=1')).toEqual({ who: ['ada'] });
  expect(await metadata('?metadata_keys=who&start_time=2026-01-07T00:00:00Z')).toEqual({ who: ['bob'] });
});

it('when projects are listed in the second generation, then they come page by page', async () => {
  const page = async (query: Record<string, string>) =>
    (await (await fixture().send(`/v2/sessions?${searchOf(query)}`)).json()) as {
      items: { name: string; type: string }[];
      next_cursor: string | null;
      has_more: boolean;
    };
  const query = {
    sort_by: 'NAME',
    sort_order: 'asc',
    page_size: '2',
    include_stats: 'true',
    name_contains: 'a',
  };
  const first = await page(query);
  expect(first.items).toMatchObject([
    { name: 'alpha', type: 'PROJECT', run_count: 3, session_feedback_stats: { quality: { n: 1, avg: 0.2 } } },
    { name: 'beta' },
  ]);
  const second = await page({ ...query, cursor: first.next_cursor ?? '' });
  expect([second.items.map(({ name }) => name), second.next_cursor]).toEqual([['default', 'gamma'], null]);
  expect((await page({ type: 'EXPERIMENT' })).items).toEqual([]);
  expect((await fixture().send('/v2/sessions?cursor=x.y')).status).toBe(422);
});

it('when evaluators were traced, then the address of their project is resolved', async () => {
  const resolved = async () => fixture().send('/api/v1/sessions/resolutions?kind=evaluator');
  expect((await resolved()).status).toBe(404);
  const { id } = await fixture()
    .client()
    .createSession({ body: { name: 'evaluators' } });
  expect(await (await resolved()).json()).toEqual({ session_id: id });
});

it('when statistics are selected, then only those are told; a tag finds no project', async () => {
  const asked = { name: 'alpha', include_stats: 'true' };
  const [alpha] = await listed({ ...asked, stats_select: 'run_count' });
  expect(alpha).toMatchObject({ run_count: 3, latency_p99: null, session_feedback_stats: null });
  expect(await listed({ ...asked, tag_value_id: uuidv7() })).toEqual([]);
});

it.each([
  ['eq(name, "turn")', { run_count: 3, latency_p50: 3 }],
  ['and(eq(metadata_key, "who"), eq(metadata_value, "ada"))', { run_count: 2, latency_p50: 2 }],
  ['gt(latency, "4s")', { run_count: 1, latency_p50: 5, last_run_start_time: '2026-01-08T10:00:00.000000' }],
  ['eq(run_type, "llm")', { run_count: 0, latency_p50: null, last_run_start_time: null }],
  [
    'and(eq(feedback_key, "right"), eq(feedback_score, 1))',
    { run_count: 2, feedback_stats: { right: { n: 2, avg: 1 } } },
  ],
])(
  'when the filter of statistics is %s, then the runs that it finds are summed up',
  async (stats_filter, expected) => {
    const [first, second] = await Promise.all(
      ['/sessions', '/v2/sessions'].map(async (path) => {
        const query = searchOf({ name: 'alpha', include_stats: 'true', stats_filter });
        const answer: unknown = await (await fixture().send(`${path}?${query}`)).json();
        return Array.isArray(answer) ? (answer[0] as unknown) : (answer as { items: unknown[] }).items[0];
      }),
    );
    expect([first, second]).toMatchObject([expected, expected]);
  },
);

it('when runs match since an instant, then projects are sorted by what those add up to', async () => {
  const asked = { include_stats: 'true', stats_filter: 'lt(latency, "4s")', sort_by: 'runs_count' };
  const since = await listed({ ...asked, stats_start_time: '2026-01-06T00:00:00Z' });
  expect(since.map(({ name, run_count }) => [name, run_count]).slice(0, 2)).toEqual([
    ['alpha', 1],
    expect.arrayContaining([0]),
  ]);
  const wrong = await fixture().send(`/sessions?${searchOf({ stats_filter: 'eq(naem, "x")' })}`);
  expect([wrong.status, await wrong.text()]).toEqual([400, expect.stringContaining('stats_filter')]);
});

it.each([{}, { stats_filter: 'eq(name, "turn")' }])(
  'when statistics are asked for with %j, then they tell the middle of scores',
  async (narrowed) => {
    const query = searchOf({ name: 'alpha', include_stats: 'true', ...narrowed });
    const { items } = (await (await fixture().send(`/v2/sessions?${query}`)).json()) as { items: unknown[] };
    expect(items[0]).toMatchObject({
      feedback_stats: { right: { n: 3, median: 1, type: 'PRIMARY' }, unscored: { median: null } },
      session_feedback_stats: { quality: { median: 0.2 } },
    });
  },
);

it('when several projects are deleted, then all of them are, or none if one is missing', async () => {
  const client = fixture().client();
  const made = await Promise.all(['one', 'two'].map((name) => client.createSession({ body: { name } })));
  const foreign = await fixture()
    .client(OTHER_WORKSPACE)
    .createSession({ body: { name: 'foreign' } });
  const remove = async (session_ids: readonly string[]) =>
    (
      await fixture().send(`/sessions?${session_ids.map((id) => `session_ids=${id}`).join('&')}`, {
        method: 'DELETE',
      })
    ).status;
  const mine = made.map(({ id }) => id);
  expect(await remove([...mine, foreign.id])).toBe(404);
  expect(await names({ name: 'one' })).toEqual(['one']);
  expect(await remove(mine)).toBe(202);
  expect(await names({ name: 'one' })).toEqual([]);
});
