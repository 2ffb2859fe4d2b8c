import { uuidv7 } from '@roadstead/kit';
import { useFixture } from '@roadstead/testing';
import { beforeAll, expect, it } from 'vitest';
import { startFixture } from '../testing/observability-fixture.ts';

/**
 * Runs that end with an exception by which LangGraph asks a question or passes on control: they are kept as they
 * came, and count as failures nowhere.
 */

const asked = JSON.stringify([{ id: 'q', value: 'x'.repeat(1000) }], null, 2);
const errors = {
  javascript: `${asked}\n\nGraphInterrupt: ${asked}\n    at interrupt (file:///app/interrupt.js:85:8)`,
  python: `GraphInterrupt((Interrupt(value='Sure?'),))`,
  hand_over: `\n\nParentCommand\n    at next (file:///app/next.js:1:1)`,
  failure: 'no luck',
} as const;
const ids = Object.fromEntries(Object.keys(errors).map((name) => [name, uuidv7()]));
const names = Object.keys(errors).filter((name) => name !== 'failure');

const fixture = useFixture(startFixture);
beforeAll(async () => {
  const place = (name: string) => ({
    id: ids[name],
    trace_id: ids[name],
    dotted_order: `20260105T000000000000Z${ids[name]}`,
  });
  const post = Object.keys(errors).map((name) => ({
    ...place(name),
    name,
    run_type: 'chain',
    start_time: '2026-01-05T00:00:00Z',
    session_name: 'asking',
    inputs: {},
    extra: { metadata: { thread_id: 't' } },
  }));
  const patch = Object.entries(errors).map(([name, error]) => ({
    ...place(name),
    end_time: '2026-01-05T00:00:01Z',
    error,
  }));
  for (const body of [{ post }, { patch }])
    await fixture().send('/runs/batch', { method: 'POST', body: JSON.stringify(body) });
});
const session = useFixture(
  async () =>
    (
      await fixture()
        .client()
        .listSessions({ query: { name: 'asking' } })
    )[0]?.id ?? '',
);

async function post(path: string, body: object): Promise<Record<string, unknown>> {
  const response = await fixture().send(path, { method: 'POST', body: JSON.stringify(body) });
  return (await response.json()) as Record<string, unknown>;
}

async function found(asks: object): Promise<string[]> {
  const { runs } = await post('/runs/query', { session: [session()], ...asks, select: ['id', 'name'] });
  return (runs as { name: string }[]).map(({ name }) => name).toSorted();
}

it.each(names)(
  'when a run asks or hands on (%s), then it is a success, with a mark and its error',
  async (name) => {
    const run = (await (await fixture().send(`/runs/${ids[name]}`)).json()) as Record<string, unknown>;
    expect(run).toMatchObject({
      status: 'success',
      error: errors[name as keyof typeof errors],
      extra: { metadata: { thread_id: 't', is_bubble_up: true } },
    });
    const failed = (await (await fixture().send(`/runs/${ids['failure']}`)).json()) as Record<
      string,
      unknown
    >;
    expect(failed).toMatchObject({ status: 'error', error: 'no luck' });
    expect(JSON.stringify(failed)).not.toContain('is_bubble_up');
  },
);

it.each<[object, 'all' | 'failure' | 'others']>([
  [{ error: true }, 'failure'],
  [{ error: false }, 'others'],
  [{ filter: 'eq(status, "error")' }, 'failure'],
  [{ filter: 'eq(status, "success")' }, 'others'],
  [{ filter: 'neq(status, "error")' }, 'others'],
  [{ trace_filter: 'eq(status, "error")' }, 'failure'],
  [{ filter: 'neq(error, null)' }, 'failure'],
  [{ filter: 'eq(error, null)' }, 'others'],
  [{ filter: 'eq(error, "no luck")' }, 'failure'],
  [{ filter: 'and(eq(metadata_key, "is_bubble_up"), eq(metadata_value, "true"))' }, 'others'],
  [{}, 'all'],
])('when runs are asked for by %j, then these are found: %s', async (asks, which) => {
  const wanted = { all: Object.keys(errors), failure: ['failure'], others: names };
  expect(await found(asks)).toEqual(wanted[which].toSorted());
});

it('when runs ask or hand on, then none of them counts as an error', async () => {
  const stats = await post('/runs/stats', { session: [session()] });
  expect(stats).toMatchObject({ run_count: 4, error_rate: 0.25 });
  const rolled_up = { session: [session()], is_root: true, select: ['run_count', 'error_rate'] };
  expect(await post('/runs/stats', rolled_up)).toEqual({ run_count: 4, error_rate: 0.25 });
  const [project] = (await (
    await fixture().send(`/sessions?name=asking&include_stats=true`)
  ).json()) as Record<string, unknown>[];
  expect(project).toMatchObject({ run_count: 4, error_rate: 0.25 });
});
