import { uuidv7 } from '@roadstead/kit';
import { useFixture } from '@roadstead/testing';
import { expect, it } from 'vitest';
import { OTHER_WORKSPACE, startFixture } from '../testing/observability-fixture.ts';

const fixture = useFixture(startFixture);
const client = () => fixture().client();

it('when an agent is made, then each environment has a project that takes its traces', async () => {
  const agent = await client().createAgent({ body: { id: 'support', name: 'Support' } });
  expect(agent.environments.map((one) => [one.environment, one.tracer_session_name])).toEqual([
    ['LOCAL', 'support/local'],
    ['DEVELOPMENT', 'support/development'],
    ['STAGING', 'support/staging'],
    ['PRODUCTION', 'support/production'],
  ]);
  const id = uuidv7();
  const run = {
    id,
    trace_id: id,
    dotted_order: `x${id}`,
    name: 'turn',
    run_type: 'chain',
    start_time: new Date().toISOString(),
    address: 'lrn:agents/support/environments/production',
  };
  await fixture().send('/runs', { method: 'POST', body: JSON.stringify(run) });
  const { session_id } = (await (await fixture().send(`/runs/${id}`)).json()) as { session_id: string };
  expect(session_id).toBe(agent.environments[3]?.tracer_session_id);
});

it('when agents are listed, then they are found by name or part of it, sorted and paged', async () => {
  await client().createAgent({
    body: { id: 'b-bot', name: 'Zeta', production_only: true, source_type: 'FLEET' },
  });
  await client().createAgent({ body: { id: 'a-bot', name: 'Alpha', agent_type: 'CODING' } });
  const idsOf = async (query: object) => (await client().listAgents({ query })).items.map(({ id }) => id);
  expect(await idsOf({})).toEqual(['a-bot', 'support', 'b-bot']);
  expect(await idsOf({ search: 'BOT' })).toEqual(['a-bot', 'b-bot']);
  expect(await idsOf({ id: ['b-bot'], source_type: 'FLEET' })).toEqual(['b-bot']);
  expect((await idsOf({ sort_by: 'last_run_start_time', sort_order: 'desc' }))[0]).toBe('support');
  const first = await client().listAgents({ query: { page_size: '2', include_count: 'true' } });
  expect(first).toMatchObject({ has_more: true, total: 3 });
  const next = await client().listAgents({ query: { page_size: '2', cursor: first.next_cursor ?? '' } });
  expect(next).toMatchObject({ items: [{ id: 'b-bot' }], has_more: false, next_cursor: null });
  expect(next.items[0]?.environments).toHaveLength(1);
});

it('when an agent is changed or deleted, then its workspace alone can, and its projects stay', async () => {
  const params = { agent_id: 'a-bot' };
  const changed = await client().patchAgent({ params, body: { name: 'Beta', owner_id: 'me' } });
  expect(changed).toMatchObject({ name: 'Beta', owner_id: 'me', agent_type: 'CODING' });
  expect(await client().patchAgent({ params, body: { owner_id: null } })).toMatchObject({
    name: 'Beta',
    owner_id: null,
  });
  const read = await client().readAgent({ params, query: { include: 'runtime_bindings' } });
  expect(read.environments[0]).toMatchObject({ runtime_bindings: [] });
  const foreign = fixture().client(OTHER_WORKSPACE);
  await expect(foreign.readAgent({ params, query: {} })).rejects.toMatchObject({ status: 404 });
  await expect(foreign.deleteAgent({ params })).rejects.toMatchObject({ status: 404 });
  await client().deleteAgent({ params });
  await expect(client().readAgent({ params, query: {} })).rejects.toMatchObject({ status: 404 });
  expect(await client().listSessions({ query: { name: 'a-bot/production' } })).toHaveLength(1);
});

it('when there is an agent, then its projects are called those of an agent', async () => {
  const body = { id: 'brief', production_only: true };
  const found = async () => (await client().listSessionsV2({ query: { name: 'brief/production' } })).items;
  const types = async () => (await found()).map(({ type }) => type);
  await client().createAgent({ body });
  expect(await types()).toEqual(['AGENT']);
  const [project] = await found();
  await client().deleteSession({ params: { session_id: project?.id ?? '' } });
  expect(await types()).toEqual([]);
  const id = uuidv7();
  const run = {
    id,
    trace_id: id,
    dotted_order: `x${id}`,
    name: 'turn',
    start_time: new Date().toISOString(),
  };
  const address = 'lrn:agents/brief/environments/production';
  await fixture().send('/runs', { method: 'POST', body: JSON.stringify({ ...run, address }) });
  expect(await types()).toEqual(['AGENT']);
  const listed = async (type: 'AGENT' | 'PROJECT') =>
    (await client().listSessionsV2({ query: { name: 'brief/production', type: [type] } })).items.length;
  expect([await listed('AGENT'), await listed('PROJECT')]).toEqual([1, 0]);
  await client().deleteAgent({ params: { agent_id: 'brief' } });
  expect(await types()).toEqual(['PROJECT']);
  expect([await listed('AGENT'), await listed('PROJECT')]).toEqual([0, 1]);
});

it('when an id is taken, or one that no address can name, then it is refused', async () => {
  await expect(client().createAgent({ body: { id: 'support' } })).rejects.toMatchObject({ status: 409 });
  for (const id of ['Support', '-x', 'x-', 'a_b', '']) {
    const answer = await fixture().send('/v1/agents', { method: 'POST', body: JSON.stringify({ id }) });
    expect([id, answer.status]).toEqual([id, 422]);
  }
});
