import { Run } from '@roadstead/contracts/observability';
import { uuidv7 } from '@roadstead/kit';
import { useFixture } from '@roadstead/testing';
import { beforeAll, expect, it } from 'vitest';
import { startFixture } from '../testing/observability-fixture.ts';

const ids = Array.from({ length: 7 }, () => uuidv7()).toSorted();
const root_of_tree = uuidv7();
const example = uuidv7();

const fixture = useFixture(startFixture);
beforeAll(async () => {
  const runs = ids.map((id, index) => {
    // Two of them began in the same microsecond.
    const start_time = `2026-01-05T00:00:0${Math.min(index, 5)}.000001Z`;
    const more = index === 3 ? { reference_example_id: example, error: 'broken' } : {};
    return {
      id,
      trace_id: id,
      dotted_order: `x${id}`,
      name: `run ${index}`,
      run_type: 'chain',
      start_time,
      session_name: 'queried',
      inputs: { index },
      extra: { metadata: { thread_id: 't' } },
      ...more,
    };
  });
  const body = JSON.stringify({ post: runs });
  await fixture().send('/runs/batch', { method: 'POST', body });
});
const session = useFixture(
  async () =>
    (
      await fixture()
        .client()
        .listSessions({ query: { name: 'queried' } })
    )[0]?.id ?? '',
);

async function query(
  body: object,
): Promise<{ status: number; ids: string[]; next: string | null; text: string }> {
  const response = await fixture().send('/runs/query', { method: 'POST', body: JSON.stringify(body) });
  const text = await response.text();
  const answer = JSON.parse(text) as { runs?: { id: string }[]; cursors?: { next: string | null } };
  return {
    status: response.status,
    ids: (answer.runs ?? []).map((run) => run.id),
    next: answer.cursors?.next ?? null,
    text,
  };
}

it('when an execution order is not that of roots, then it is refused and named', async () => {
  expect((await query({ session: [session()], execution_order: 1 })).ids).toHaveLength(7);
  const refused = await query({ session: [session()], execution_order: 2 });
  expect(refused.status).toBe(422);
  expect(JSON.parse(refused.text)).toMatchObject({ detail: [{ loc: ['body', 'execution_order'] }] });
});

it.each(['asc', 'desc'])(
  'when runs are paged in order %s, then the pages are stable while runs come',
  async (order) => {
    const expected = ids.toSorted();
    if (order === 'desc') expected.reverse();
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await query({
        session: [session()],
        limit: 2,
        order,
        cursor,
        end_time: '2026-01-06T00:00:00Z',
      });
      seen.push(...page.ids);
      cursor = page.next;
      const id = uuidv7();
      const late = {
        id,
        trace_id: id,
        dotted_order: `x${id}`,
        start_time: '2026-01-07T00:00:00Z',
        session_name: 'queried',
      };
      await fixture().send('/runs', { method: 'POST', body: JSON.stringify(late) });
    } while (cursor !== null);
    expect(seen).toEqual(expected);
  },
);

it('when a query has conditions, then they narrow it down', async () => {
  const before = { session: [session()], order: 'asc', end_time: '2026-01-06T00:00:00Z' };
  expect((await query({ ...before, start_time: '2026-01-05T00:00:04.000001Z' })).ids).toEqual(ids.slice(4));
  expect((await query({ ...before, start_time: '2026-01-05T00:00:04.000002+00:00' })).ids).toEqual(
    ids.slice(5),
  );
  expect((await query({ ...before, error: true })).ids).toEqual([ids[3]]);
  expect((await query({ ...before, run_type: 'llm' })).ids).toEqual([]);
  expect((await query({ ...before, is_root: false })).ids).toEqual([]);
  expect((await query({ reference_example: [example] })).ids).toEqual([ids[3]]);
  expect((await query({ trace: ids[2] })).ids).toEqual([ids[2]]);
  expect((await query({ trace: root_of_tree })).ids).toEqual([]);
  expect((await query({ parent_run: root_of_tree })).ids).toEqual([]);
  // A list of ids is all that counts.
  expect((await query({ id: [ids[1]], session: [uuidv7()], error: true })).ids).toEqual([ids[1]]);
});

it('when fields are selected, then those are told, and what no run is without', async () => {
  const { text } = await query({ id: [ids[0]], select: ['name', 'inputs', 'inputs_preview', 'unheard_of'] });
  expect(JSON.parse(text)).toMatchObject({
    runs: [{ id: ids[0], name: 'run 0', inputs: { index: 0 }, inputs_preview: '{"index":0}' }],
  });
  expect(Object.keys((JSON.parse(text) as { runs: [object] }).runs[0]).toSorted()).toEqual([
    'app_path',
    'dotted_order',
    'id',
    'inputs',
    'inputs_preview',
    'name',
    'run_type',
    's3_urls',
    'session_id',
    'start_time',
    'status',
    'trace_id',
  ]);
  const whole = await (await fixture().send(`/runs/${ids[0]}?exclude_serialized=true`)).json();
  expect(Run.parse(whole)).toMatchObject({ id: ids[0], thread_id: 't' });
  expect(whole).toHaveProperty('serialized', null);
});

it('when a run is read, then every field is told, times in UTC and costs as numbers', async () => {
  const [root, child] = [uuidv7(), uuidv7()];
  const place = (id: string, at: string) => ({ id, trace_id: root, start_time: at, session_name: 'whole' });
  const post = [
    {
      ...place(root, '2026-01-05T10:00:00Z'),
      dotted_order: `20260105T100000000000Z${root}`,
      extra: { metadata: { a: 1 } },
    },
    {
      ...place(child, '2026-01-05T11:00:01+01:00'),
      dotted_order: `20260105T100000000000Z${root}.20260105T100001000000Z${child}`,
      run_type: 'llm',
      outputs: {
        usage_metadata: { input_tokens: 1, output_tokens: 2, input_cost: '0.000002', output_cost: 1e-7 },
      },
      events: [{ name: 'new_token', time: '2026-01-05T10:00:02Z' }],
    },
  ];
  await fixture().send('/runs/batch', { method: 'POST', body: JSON.stringify({ post }) });
  const read = async (id: string) =>
    (await (await fixture().send(`/runs/${id}`)).json()) as Record<string, unknown>;
  const [whole, inner] = [await read(root), await read(child)];
  expect(Object.keys(Run.shape).filter((name) => !(name in whole))).toEqual([]);
  expect(whole).toMatchObject({
    start_time: '2026-01-05T10:00:00.000000',
    end_time: null,
    first_token_time: '2026-01-05T10:00:02.000000',
    extra: { metadata: { a: 1, ls_run_depth: 0 } },
    total_tokens: 3,
    total_cost: 0.0000021,
    app_path: expect.stringMatching(/\?trace_id=.+&start_time=2026-01-05T10:00:00\.000000$/) as string,
    parent_run_id: null,
    share_token: null,
    prompt_cost_details: null,
  });
  expect(inner).toMatchObject({
    start_time: '2026-01-05T10:00:01.000000',
    first_token_time: '2026-01-05T10:00:02.000000',
    extra: { metadata: { ls_run_depth: 1 } },
    prompt_cost: 0.000002,
  });
});

it('when a limit is above 100, then it is refused in the words that clients know', async () => {
  const { text } = await query({ session: [session()], limit: 101 });
  expect(JSON.parse(text)).toEqual({ detail: 'Limit exceeds maximum allowed value of 100' });
});

it.each(['/api/api/v1', '/api/v1/api/v1'])(
  'when clients look below %s, then runs are served there, too',
  async (mount) => {
    expect((await fixture().send(`${mount}/runs/${ids[0]}`)).status).toBe(200);
    expect((await fixture().send(`${mount}/info`)).status).toBe(200);
  },
);

it.each<[object, number[]]>([
  [{ filter: 'eq(name, "run 3")' }, [3]],
  [{ filter: 'and(eq(metadata_key, "thread_id"), eq(metadata_value, "t"))', error: true }, [3]],
  [{ filter: 'gt(start_time, "2026-01-05T00:00:03.000001Z")', search_filter: 'search(name, "4")' }, [4]],
  [{ filter: 'eq(input_value, "2")', order: 'asc' }, [2]],
  [{ trace_filter: 'eq(status, "error")' }, [3]],
  [{ tree_filter: 'in(name, ["run 1", "run 2"])', order: 'asc' }, [1, 2]],
  [{ filter: 'eq(name, "run 1")', tree_filter: 'eq(name, "run 2")' }, []],
  [{ filter: ' ', trace_filter: null, run_type: 'chain', limit: 1, order: 'asc' }, [0]],
])('when the query is %j, then the runs that pass are answered', async (asked, wanted) => {
  const answer = await query({ session: [session()], ...asked });
  expect(answer.ids).toEqual(wanted.map((index) => ids[index]));
});

it('when a filter is sent, then the answer tells how it was understood, or where it is wrong', async () => {
  const understood = await query({ session: [session()], filter: "and( eq(name,'run 3') )" });
  expect(JSON.parse(understood.text)).toMatchObject({ parsed_query: 'and(eq(name, "run 3"))' });
  for (const name of ['filter', 'trace_filter', 'tree_filter', 'search_filter']) {
    const { status, text } = await query({ session: [session()], [name]: 'eq(nme, "x")' });
    expect(status).toBe(400);
    expect(JSON.parse(text)).toEqual({
      detail: `\`${name}\` is wrong at character 4: there is no field \`nme\`. Did you mean \`name\`?`,
    });
  }
});

it('when a question is in natural language, then the refusal’s status is one that clients know', async () => {
  const { status, text } = await query({ session: [session()], query: 'which runs failed?' });
  expect([status, text]).toEqual([422, expect.stringContaining('`query`')]);
});

it.each(['asc', 'desc'])('when runs are paged in order %s, then one can page back as well', async (order) => {
  const page = async (cursor: string | null) => {
    const body = { session: [session()], limit: 2, order, cursor, filter: 'like(name, "run%")' };
    const { text } = await query(body);
    const { runs, cursors } = JSON.parse(text) as {
      runs: { id: string }[];
      cursors: { next: string | null; prev: string | null };
    };
    return { ...cursors, ids: runs.map(({ id }) => id) };
  };
  const first = await page(null);
  expect(first.prev).toBe(null);
  const second = await page(first.next);
  const third = await page(second.next);
  expect(await page(third.prev)).toMatchObject({ ids: second.ids, next: second.next });
  const again = await page(second.prev);
  expect(again).toMatchObject({ ids: first.ids, prev: null });
  expect((await page(again.next)).ids).toEqual(second.ids);
  const whole = await query({ session: [session()], limit: 2, order, skip_pagination: true });
  expect(whole.next).toBe(null);
});

it.each<[object, number]>([
  [{}, 400],
  [{ session: [] }, 400],
  [{ session: [uuidv7()] }, 404],
  [{ session: ['x'] }, 422],
  [{ session: [uuidv7()], limit: 101 }, 400],
  [{ trace: uuidv7(), cursor: 'x' }, 422],
  [{ trace: uuidv7(), start_time: '0000-01-01T00:00:00Z' }, 422],
  [{ trace: uuidv7(), run_type: 'dance' }, 422],
])('when the query is %j, then it is refused with %i', async (body, status) => {
  expect((await query(body)).status).toBe(status);
});

it('when a field of a turn does not exist, then it is refused in the dialect of v2', async () => {
  const get = (search: string) => fixture().send(`/v2/threads/t/traces?project_id=${session()}&${search}`);
  const refused = await get('selects=DANCE');
  expect([refused.status, refused.headers.get('content-type')]).toEqual([422, 'application/problem+json']);
  const page = (await (await get('selects=NAME&page_size=3')).json()) as {
    items: { name: string }[];
    next_cursor: string;
    has_more: boolean;
  };
  expect(page.items.map((item) => item.name)).toEqual(['run 0', 'run 1', 'run 2']);
  expect(page.has_more).toBe(true);
  const rest = (await (
    await get(`selects=NAME&page_size=100&cursor=${page.next_cursor}`)
  ).json()) as typeof page;
  expect(rest).toMatchObject({ items: [{ name: 'run 3' }, {}, {}, {}], has_more: false, next_cursor: null });
});

it('when there is no key, then the answer is 401, but for what the server can do', async () => {
  const bare = await fixture().service.served.fetch(new Request(`http://test/runs/${ids[0]}`), {});
  expect(bare.status).toBe(401);
  const info = await fixture().service.served.fetch(new Request('http://test/info'), {});
  expect(await info.json()).toMatchObject({
    version: '0.18.0',
    batch_ingest_config: { use_multipart_endpoint: true },
  });
});

it('when a query takes too long, then a sentence says so, and that it was cancelled', async () => {
  await using slow = await startFixture({
    between: (db) => ({
      ...db,
      transaction: async (work) =>
        db.transaction(async (tx) =>
          work({
            ...tx,
            run: async (text, values) => tx.run(text.replace("'10s'", "'50ms'"), values),
            query: async (text, values) =>
              tx.query(
                text.replace('from traces.runs r', 'from (select pg_sleep(60)) s, traces.runs r'),
                values,
              ),
          }),
        ),
    }),
  });
  const body = JSON.stringify({ reference_example: [example], filter: 'eq(name, "x")' });
  const answer = await slow.send('/runs/query', { method: 'POST', body });
  expect([answer.status, await answer.text()]).toEqual([
    400,
    expect.stringContaining('The query took longer than 10 seconds and was cancelled.'),
  ]);
});
