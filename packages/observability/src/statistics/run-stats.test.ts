import { uuidv7 } from '@roadstead/kit';
import { useFixture } from '@roadstead/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { OTHER_WORKSPACE, startFixture } from '../testing/observability-fixture.ts';

const roots = [1, 2, 3, 4].map(() => uuidv7());

const fixture = useFixture(startFixture);
beforeAll(async () => {
  const post = roots.flatMap((trace_id, index) => {
    const start_time = `2026-01-05T00:00:0${index}.000000Z`;
    const end_time = `2026-01-05T00:00:${10 + 2 * index}.000000Z`;
    const child = uuidv7();
    const usage = {
      input_tokens: 10 * index,
      output_tokens: 5,
      total_tokens: 10 * index + 5,
      total_cost: 0.5,
    };
    return [
      {
        id: trace_id,
        trace_id,
        dotted_order: `x${trace_id}`,
        start_time,
        end_time,
        name: index === 3 ? 'other' : 'agent',
        run_type: 'chain',
        session_name: 'summed',
        ...(index === 0 ? { error: 'broken' } : {}),
        tags: index < 2 ? ['blue', 'green'] : ['blue'],
        inputs: { question: `question ${index}` },
        outputs: { answer: `answer ${index}` },
        extra: {
          metadata: {
            ...(index === 3 ? {} : { thread_id: `t-${index % 2}` }),
            tenant: index % 2 === 0 ? 'acme' : ['acme', 'globex'],
          },
        },
      },
      {
        id: child,
        trace_id,
        parent_run_id: trace_id,
        dotted_order: `x${trace_id}.x${child}`,
        name: 'model',
        run_type: 'llm',
        start_time,
        end_time,
        session_name: 'summed',
        outputs: { usage_metadata: usage },
      },
    ];
  });
  await fixture().send('/runs/batch', { method: 'POST', body: JSON.stringify({ post }) });
});
const session = useFixture(
  async () =>
    (
      await fixture()
        .client()
        .listSessions({ query: { name: 'summed' } })
    )[0]?.id ?? '',
);
beforeAll(async () => {
  const scores = [1, 0, 0.5];
  for (const [index, score] of scores.entries())
    await fixture().send('/feedback', {
      method: 'POST',
      body: JSON.stringify({ run_id: roots[index], key: 'stars', score }),
    });
});

async function stats(body: object, path = '/runs/stats'): Promise<{ status: number; answer: unknown }> {
  const response = await fixture().send(path, { method: 'POST', body: JSON.stringify(body) });
  return { status: response.status, answer: await response.json() };
}

describe('statistics', () => {
  it('when runs are found, then the statistics are of them', async () => {
    const { answer } = await stats({ session: [session()] });
    expect(answer).toMatchObject({
      run_count: 8,
      error_rate: 1 / 8,
      streaming_rate: 0,
      latency_p50: 11.5,
      prompt_tokens: 60,
      completion_tokens: 20,
      total_tokens: 80,
      median_tokens: 20,
      total_cost: 2,
      cost_p50: 0.5,
      last_run_start_time: '2026-01-05T00:00:03.000000',
      feedback_stats: { stars: { n: 3, avg: 0.5, min: 0, max: 1, stdev: 0.5 } },
    });
    expect(answer).not.toHaveProperty('run_facets');
  });

  it('when statistics are of roots, then they are of whole traces, by rollups as by reading', async () => {
    const of_roots = { session: [session()], is_root: true };
    const read = await stats(of_roots);
    const rolled_up = await stats({
      ...of_roots,
      select: ['run_count', 'total_tokens', 'latency_p99', 'error_rate'],
    });
    expect(read.answer).toMatchObject({
      run_count: 4,
      total_tokens: 80,
      error_rate: 0.25,
      median_tokens: 20,
    });
    expect(rolled_up.answer).toMatchObject({ run_count: 4, total_tokens: 80, error_rate: 0.25 });
    expect(Object.keys(rolled_up.answer as object).toSorted()).toEqual([
      'error_rate',
      'latency_p99',
      'run_count',
      'total_tokens',
    ]);
    const [exact, approximate] = [read, rolled_up].map(
      ({ answer }) => (answer as { latency_p99: number }).latency_p99,
    );
    expect(Math.abs((approximate ?? 0) / (exact ?? 1) - 1)).toBeLessThan(0.02);
  });

  it.each<[object, number]>([
    [{ filter: 'eq(run_type, "llm")' }, 4],
    [{ run_type: 'llm', error: false }, 4],
    [{ filter: 'and(eq(metadata_key, "tenant"), eq(metadata_value, "globex"))' }, 2],
    [{ tree_filter: 'eq(status, "error")' }, 2],
    [{ filter: 'eq(name, "nobody")' }, 0],
    [{ start_time: '2026-01-05T00:00:02Z' }, 4],
  ])('when statistics are of %j, then they count %i', async (asked, run_count) => {
    const { answer } = await stats({ session: [session()], ...asked, select: ['run_count'] });
    expect(answer).toEqual({ run_count });
  });

  it('when statistics are of a trace, then they need no project', async () => {
    expect((await stats({ trace: roots[1], select: ['run_count'] })).answer).toEqual({ run_count: 2 });
  });
});

describe('groups', () => {
  const counts = async (group_by: object, more: object = {}) => {
    const { answer } = await stats({
      session: [session()],
      is_root: true,
      select: ['run_count'],
      group_by,
      ...more,
    });
    return Object.fromEntries(
      Object.entries(answer as Record<string, { run_count: number }>).map(([group, one]) => [
        group,
        one.run_count,
      ]),
    );
  };

  it('when runs are grouped, then it is by a name, a type, a tag or a key of the metadata', async () => {
    expect(await counts({ attribute: 'name' })).toEqual({ agent: 3, other: 1 });
    expect(await counts({ attribute: 'run_type' })).toEqual({ chain: 4 });
    expect(await counts({ attribute: 'tag' })).toEqual({ blue: 4, green: 2 });
    expect(await counts({ attribute: 'metadata', path: 'tenant' })).toEqual({ acme: 4, globex: 2 });
  });

  it('when groups are asked for, then the largest come, or those that are named', async () => {
    expect(await counts({ attribute: 'tag', max_groups: 1 })).toEqual({ blue: 4 });
    expect(await counts({ attribute: 'name' }, { groups: ['other', null] })).toEqual({ other: 1 });
  });

  it('when groups are of metadata, then they need a key', async () => {
    expect((await stats({ session: [session()], group_by: { attribute: 'metadata' } })).status).toBe(422);
  });
});

it('when facets are asked for, then they say what runs are told apart by, and how to find them', async () => {
  const { answer } = await stats({ session: [session()], is_root: true, select: ['run_facets'] });
  expect((answer as { run_facets: unknown[] }).run_facets).toEqual(
    expect.arrayContaining([
      { key: 'name', value: 'agent', n: 3, query: 'eq(name, "agent")' },
      { key: 'tag', value: 'green', n: 2, query: 'has(tags, "green")' },
    ]),
  );
});

it('when a project is not there or another workspace’s, then the answer is 404', async () => {
  expect((await stats({ session: [uuidv7()] })).status).toBe(404);
  const body = JSON.stringify({ session: [session()] });
  const other = await fixture().send('/runs/stats', { method: 'POST', body, workspace_id: OTHER_WORKSPACE });
  expect(other.status).toBe(404);
});

it('when a query is validated, then it is checked without being asked', async () => {
  const check = async (body: object) => (await stats(body, '/runs/query/validate')).answer;
  expect(await check({ session: [session()], filter: 'eq(name, "x")' })).toEqual({ valid: true, errors: [] });
  expect(await check({ session: [session()], tree_filter: 'eq(nam, "x")' })).toMatchObject({
    valid: false,
    errors: [{ loc: ['body', 'tree_filter'], msg: expect.stringContaining('character 4') }],
  });
  expect(await check({})).toMatchObject({ valid: false, errors: [{ loc: ['body'] }] });
});

describe('conversations', () => {
  const group = async (more: object = {}, path = '/runs/group') =>
    (await stats({ session_id: session(), group_by: 'conversation', ...more }, path)).answer;

  it('when conversations are listed, then their last turn puts them in order', async () => {
    expect(await group()).toMatchObject({
      total: 2,
      groups: [
        {
          group_key: 't-0',
          filter: 'eq(thread_id, "t-0")',
          count: 2,
          total_tokens: 30,
          total_cost: 1,
          min_start_time: '2026-01-05T00:00:00.000000',
          max_start_time: '2026-01-05T00:00:02.000000',
          first_inputs: 'question 0',
          last_outputs: 'answer 2',
          last_error: 'broken',
          feedback_stats: { stars: { n: 2, avg: 0.75 } },
        },
        { group_key: 't-1', count: 1 },
      ],
    });
  });

  it('when conversations are listed, then they are paged, and found by what their turns are', async () => {
    expect(await group({ offset: 1, limit: 1 })).toMatchObject({ total: 2, groups: [{ group_key: 't-1' }] });
    expect(await group({ offset: 2 })).toMatchObject({ total: 2, groups: [] });
    expect(await group({ filter: 'has(tags, "green")', start_time: '2026-01-05T00:00:01Z' })).toMatchObject({
      total: 1,
      groups: [{ group_key: 't-1' }],
    });
  });

  it('when conversations are summed up, then the answer is of all their turns', async () => {
    expect(await group({}, '/runs/group/stats')).toMatchObject({
      group_count: 2,
      run_count: 3,
      error_rate: 1 / 3,
      total_tokens: 45,
      total_cost: 1.5,
    });
  });
});
