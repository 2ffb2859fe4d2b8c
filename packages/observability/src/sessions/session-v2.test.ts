import { uuidv7 } from '@roadstead/kit';
import { useFixture } from '@roadstead/testing';
import { expect, it } from 'vitest';
import { OTHER_WORKSPACE, startFixture } from '../testing/observability-fixture.ts';

const fixture = useFixture(startFixture);

async function ask(path: string, { body, ...init }: Omit<RequestInit, 'body'> & { body?: object } = {}) {
  const answer = await fixture().send(path, {
    ...init,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> & { id: string } };
}
const create = (body: object, search = '') => ask(`/v2/sessions${search}`, { method: 'POST', body });

it('when projects and experiments are made, then they can be read', async () => {
  const made = await create({ type: 'PROJECT', name: 'second', trace_tier: 'LONG_LIVED' });
  expect(made).toMatchObject({
    status: 200,
    body: { name: 'second', type: 'PROJECT', trace_tier: 'LONG_LIVED', run_count: null },
  });
  const { id } = made.body;
  expect((await ask(`/v2/sessions/${id}`)).body).toEqual(made.body);
  expect((await ask(`/sessions/${id}`)).body).toMatchObject({ name: 'second', trace_tier: 'longlived' });
  const dataset = await ask('/datasets', { method: 'POST', body: { name: 'questions' } });
  const experiment = { type: 'EXPERIMENT', name: 'try', reference_dataset_id: dataset.body.id };
  expect((await create(experiment)).body).toMatchObject({ type: 'EXPERIMENT', test_run_number: 1 });
  expect((await ask(`/v2/sessions/${uuidv7()}`)).status).toBe(404);
});

it('when a type is asked for, then only projects of it are listed', async () => {
  await fixture()
    .client()
    .createAgent({ body: { id: 'typed', production_only: true } });
  expect((await create({ type: 'AGENT', name: 'typed by hand' })).body).toMatchObject({ type: 'AGENT' });
  await create({ type: 'PROJECT', name: 'typed project' });
  const dataset = await ask('/datasets', { method: 'POST', body: { name: 'typed' } });
  await create({ type: 'EXPERIMENT', name: 'typed experiment', reference_dataset_id: dataset.body.id });
  const listed = async (types: string) => {
    const { body } = await ask(`/v2/sessions?name_contains=typed&sort_by=NAME&sort_order=asc${types}`);
    return (body['items'] as { name: string; type: string }[]).map(({ name, type }) => `${type} ${name}`);
  };
  expect(await listed('&type=AGENT')).toEqual(['AGENT typed by hand', 'AGENT typed/production']);
  expect(await listed('&type=PROJECT')).toEqual(['PROJECT typed project']);
  expect(await listed('&type=EXPERIMENT')).toEqual(['EXPERIMENT typed experiment']);
  expect(await listed('&type=AGENT&type=PROJECT')).toHaveLength(3);
  expect(await listed('')).toHaveLength(4);
});

it('when a name is taken or a type contradicts the dataset, then the project is refused', async () => {
  const first = await create({ type: 'PROJECT', name: 'taken' });
  expect((await create({ type: 'PROJECT', name: 'taken' })).status).toBe(409);
  const again = await create({ type: 'PROJECT', name: 'taken', description: 'now' }, '?upsert=true');
  expect(again.body).toMatchObject({ id: first.body.id, description: 'now' });
  expect((await create({ type: 'EXPERIMENT', name: 'of nothing' })).status).toBe(400);
  expect((await create({ type: 'PROJECT', name: 'x', reference_dataset_id: uuidv7() })).status).toBe(400);
  expect((await create({ type: 'AGENT', name: 'x', reference_dataset_id: uuidv7() })).status).toBe(400);
  expect((await create({ name: 'x' })).status).toBe(422);
});

it('when a project is changed, then what is absent stays, null takes away, and extra is merged', async () => {
  const sent = { description: 'first', end_time: '2026-01-05T10:00:00Z', extra: { a: 1, b: { c: 2 } } };
  const { id } = (await create({ type: 'PROJECT', name: 'changing', ...sent })).body;
  const change = (body: object) => ask(`/v2/sessions/${id}`, { method: 'PATCH', body });
  const { body } = await change({ extra: { a: null, d: 3 }, end_time: null, trace_tier: 'SHORT_LIVED' });
  expect(body).toMatchObject({
    name: 'changing',
    description: 'first',
    end_time: null,
    extra: { b: { c: 2 }, d: 3 },
  });
  expect(body['extra']).not.toHaveProperty('a');
  expect((await change({ name: 'changed', description: null, extra: null })).body).toMatchObject({
    name: 'changed',
    description: null,
    extra: null,
    trace_tier: 'SHORT_LIVED',
  });
  await create({ type: 'PROJECT', name: 'in the way' });
  expect((await change({ name: 'in the way' })).status).toBe(409);
  expect((await change({ extra: { large: 'x'.repeat(65_536) } })).status).toBe(422);
  const foreign = await fixture()
    .client(OTHER_WORKSPACE)
    .createSession({ body: { name: 'foreign' } });
  const stolen = await ask(`/v2/sessions/${foreign.id}`, { method: 'PATCH', body: { name: 'stolen' } });
  expect(stolen.status).toBe(404);
});

it('when statistics are asked for, then they are told, and otherwise not', async () => {
  const { id } = (await create({ type: 'PROJECT', name: 'counted' })).body;
  const run_id = uuidv7();
  const run = { id: run_id, trace_id: run_id, dotted_order: run_id, name: 'turn', run_type: 'chain' };
  const times = { start_time: '2026-01-05T10:00:00Z', end_time: '2026-01-05T10:00:02Z' };
  const sent = { method: 'POST', body: JSON.stringify({ ...run, ...times, session_id: id }) };
  expect((await fixture().send('/runs', sent)).status).toBe(202);
  const feedback = { run_id, key: 'right', score: 1 };
  expect((await ask('/feedback', { method: 'POST', body: feedback })).status).toBe(200);
  expect((await ask(`/v2/sessions/${id}?include_stats=true`)).body).toMatchObject({
    run_count: 1,
    latency_p50: expect.closeTo(2, 1),
    feedback_stats: { right: { n: 1, median: 1 } },
  });
  expect((await ask(`/v2/sessions/${id}`)).body).toMatchObject({ run_count: null, feedback_stats: null });
});
