import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '@roadstead/contracts';
import { TracerSession } from '@roadstead/contracts/observability';
import { uuidv7 } from '@roadstead/kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Fixture,
  OTHER_WORKSPACE,
  startFixture,
  WORKSPACE,
  multipartInit,
} from '../testing/observability-fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(async () => fixture[Symbol.asyncDispose]());

const status = async (call: Promise<unknown>) =>
  call.then(
    () => 200,
    (error: unknown) => (error instanceof ApiError ? error.status : Promise.reject(error)),
  );

async function run(session_name: string, more: object = {}): Promise<string> {
  const id = uuidv7();
  const body = JSON.stringify({
    id,
    trace_id: id,
    dotted_order: `x${id}`,
    name: 'run',
    session_name,
    ...more,
  });
  expect((await fixture.send('/runs', { method: 'POST', body })).status).toBe(202);
  return id;
}

describe('projects', () => {
  it('has one for whoever comes first', async () => {
    const workspace_id = uuidv7();
    const [only, ...others] = await fixture.client(workspace_id).listSessions({});
    expect(only).toMatchObject({ name: 'default', tenant_id: workspace_id });
    expect(others).toEqual([]);
  });

  it('takes the id, times and tier that are given, and refuses them twice', async () => {
    const client = fixture.client();
    const id = uuidv7();
    const body = {
      id,
      name: 'given',
      start_time: '2026-01-05T00:00:00.123456+01:00',
      extra: { 'a\0': 'b\0' },
    };
    const made = await client.createSession({ body });
    expect(made).toMatchObject({
      id,
      start_time: '2026-01-04T23:00:00.123456',
      extra: { 'a\ufffd': 'b\ufffd' },
    });
    expect(await status(client.createSession({ body: { name: 'given' } }))).toBe(409);
    expect(await status(client.createSession({ body: { id, name: 'other' } }))).toBe(409);
    expect(await status(client.createSession({ body: {} }))).toBe(422);
    expect(await status(fixture.client(OTHER_WORKSPACE).createSession({ body }))).toBe(200);
  });

  it('never turns a project into an experiment', async () => {
    const client = fixture.client();
    const plain = await client.createSession({ body: { name: 'plain' } });
    const upsert = (reference_dataset_id: string | null) =>
      client.createSession({ query: { upsert: 'true' }, body: { name: 'plain', reference_dataset_id } });
    expect(await status(upsert(uuidv7()))).toBe(409);
    expect((await upsert(null)).id).toBe(plain.id);
  });

  it('changes what is given and leaves what is null', async () => {
    const client = fixture.client();
    const { id } = await client.createSession({
      body: { name: 'changing', description: 'a', extra: { x: 1 } },
    });
    const params = { session_id: id };
    const patch = (body: object) => client.patchSession({ params, body });
    expect(await patch({ name: null, description: 'b', extra: null, end_time: null })).toMatchObject({
      name: 'changing',
      description: 'b',
      extra: { x: 1 },
      end_time: null,
    });
    expect(await patch({ name: 'changed' })).toMatchObject({ name: 'changed', description: 'b' });
    await client.createSession({ body: { name: 'taken' } });
    expect(await status(patch({ name: 'taken' }))).toBe(409);
  });

  it('is found by its filters and sorted', async () => {
    const workspace_id = uuidv7();
    const client = fixture.client(workspace_id);
    const dataset = uuidv7();
    const names = ['b_1', 'a%1', 'c'];
    for (const name of names) {
      const reference_dataset_id = name === 'c' ? dataset : null;
      await client.createSession({
        body: { name, extra: { metadata: { of: name, more: 1 } }, reference_dataset_id },
      });
    }
    const listed = async (query: NonNullable<Parameters<typeof client.listSessions>[0]['query']>) =>
      (await client.listSessions({ query })).map((session) => session.name);
    expect(await listed({})).toEqual(['c', 'a%1', 'b_1']);
    expect(await listed({ sort_by: 'name', sort_by_desc: 'false' })).toEqual(['a%1', 'b_1', 'c']);
    expect(await listed({ name_contains: '%' })).toEqual(['a%1']);
    expect(await listed({ name_contains: '_' })).toEqual(['b_1']);
    expect(await listed({ reference_free: 'true' })).toEqual(['a%1', 'b_1']);
    expect(await listed({ reference_free: 'false' })).toEqual(['c']);
    expect(await listed({ reference_dataset: [dataset] })).toEqual(['c']);
    expect(await listed({ metadata: '{"of":"c"}' })).toEqual(['c']);
    expect(await listed({ limit: '1', offset: '1' })).toEqual(['a%1']);
    expect(await listed({ sort_by: 'runs_count', limit: '2' })).toHaveLength(2);
    expect(await listed({ sort_by: 'latency_p50', offset: '2' })).toHaveLength(1);
    expect(await status(listed({ metadata: 'x' }))).toBe(422);
    const extra = { metadata: { much: 'x'.repeat(70_000) } };
    expect(await status(client.createSession({ body: { name: 'large', extra } }))).toBe(422);
    expect(await status(listed({ filter: 'eq(name,' }))).toBe(400);
  });

  it('that is an experiment has a number, says how far it has come, and shows the feedback on its runs', async () => {
    const workspace_id = uuidv7();
    const client = fixture.client(workspace_id);
    const experiment = (name: string) =>
      client.createSession({
        body: {
          name,
          reference_dataset_id: workspace_id,
          num_examples: 2,
          num_repetitions: 2,
          evaluator_keys: ['exact', 'close'],
          kicked_off_by: 'nightly',
        },
      });
    expect((await experiment('first')).test_run_number).toBe(1);
    const { id, test_run_number } = await experiment('second');
    expect(test_run_number).toBe(2);
    const json = (value: object) => JSON.stringify(value);
    const run_id = uuidv7();
    const trace = { id: run_id, trace_id: run_id, dotted_order: `20260105T000000000000Z${run_id}` };
    const times = { start_time: '2026-01-05T00:00:00Z', end_time: '2026-01-05T00:00:01Z' };
    const sent = await fixture.send('/runs/multipart', {
      ...multipartInit([
        [`post.${run_id}`, json({ ...trace, ...times, name: 'row', run_type: 'chain', session_id: id })],
        [`feedback.${uuidv7()}`, json({ key: 'exact', score: 1, run_id, trace_id: run_id })],
        [`feedback.${uuidv7()}`, json({ key: 'overall', score: 0.5, session_id: id })],
      ]),
      workspace_id,
    });
    expect(sent.status).toBe(202);
    const read = await client.readSession({
      params: { session_id: id },
      query: { include_stats: 'true' },
    });
    expect(read).toMatchObject({
      kicked_off_by: 'nightly',
      run_count: 1,
      experiment_progress: {
        expected_run_count: 4,
        run_progress: 0.25,
        evaluator_progress: { exact: 0.25, close: 0 },
      },
      feedback_stats: { exact: { n: 1, avg: 1 } },
      session_feedback_stats: { overall: { n: 1, avg: 0.5 } },
    });
    const [listed] = await client.listSessions({ query: { name: 'second', include_stats: 'true' } });
    expect(listed).toEqual(read);
    expect((await client.createSession({ body: { name: 'plain' } })).test_run_number).toBeNull();
  });

  it('has statistics of its root runs, and sorts by them', async () => {
    const times = (seconds: number) => ({
      start_time: '2026-01-05T00:00:00Z',
      end_time: `2026-01-05T00:00:0${seconds}Z`,
    });
    for (const seconds of [1, 2, 3]) await run('measured', times(seconds));
    await run('measured', {
      ...times(4),
      error: 'broken',
      run_type: 'llm',
      outputs: { usage_metadata: { input_tokens: 2, output_tokens: 3, total_cost: 0.5 } },
    });
    await run('slow', times(9));
    const client = fixture.client();
    const [slow, measured] = await client.listSessions({
      query: { sort_by: 'latency_p50', include_stats: 'true', limit: '2' },
    });
    expect(slow).toMatchObject({
      name: 'slow',
      latency_p50: expect.closeTo(9, 1),
      run_count: 1,
      error_rate: 0,
    });
    expect(measured).toMatchObject({
      name: 'measured',
      run_count: 4,
      latency_p50: expect.closeTo(2.5, 1),
      error_rate: 0.25,
      total_tokens: 5,
      total_cost: 0.5,
      last_run_start_time: '2026-01-05T00:00:00.000000',
    });
    expect(measured?.latency_p99).toBeCloseTo(3.97, 1);
    const read = await client.readSession({
      params: { session_id: measured?.id ?? '' },
      query: { include_stats: 'true' },
    });
    expect(TracerSession.parse(read)).toEqual(measured);
  });

  it('counts a run that ends before it starts as no time, and an unfinished one not at all', async () => {
    await run('short', { start_time: '2026-01-05T00:00:00.000001Z', end_time: '2026-01-05T00:00:00.000Z' });
    await run('short', { start_time: '2026-01-05T00:00:00Z', end_time: '2026-01-05T00:00:04Z' });
    await run('short', { start_time: '2026-01-05T00:00:00Z' });
    const [short] = await fixture.client().listSessions({ query: { name: 'short', include_stats: 'true' } });
    expect(short).toMatchObject({ run_count: 3, latency_p50: expect.closeTo(2, 1) });
  });

  it('is gone at once when it is deleted, and its runs soon after', async () => {
    const id = await run('doomed', { inputs: { secret: 1 } });
    const client = fixture.client();
    const [doomed] = await client.listSessions({ query: { name: 'doomed' } });
    const params = { session_id: doomed?.id ?? '' };
    await client.shareThread({
      params: { thread_id: 'doomed' },
      body: { project_id: params.session_id },
    });
    await client.createFeedbackFormula({
      body: {
        ...params,
        feedback_key: 'whole',
        aggregation_type: 'sum',
        formula_parts: [{ part_type: 'weighted_key', weight: 1, key: 'k' }],
      },
    });
    await client.deleteSession({ params });
    expect(await status(client.readSession({ params }))).toBe(404);
    expect(await status(client.deleteSession({ params }))).toBe(404);
    expect((await fixture.send(`/runs/${id}`)).status).toBe(404);
    const { db } = fixture.fresh;
    const left = async () =>
      (await db.query('select from traces.payloads where run_id = $1', [id])).length +
      (await db.query('select from traces.sessions where id = $1', [params.session_id])).length +
      (await db.query('select from traces.shares where subject_id = $1', [params.session_id])).length +
      (await db.query('select from traces.feedback_formulas where session_id = $1', [params.session_id]))
        .length +
      (await db.query('select from traces.traces where trace_id = $1', [id])).length;
    for (let tries = 0; tries < 100 && (await left()) > 0; tries += 1) await sleep(20);
    expect(await left()).toBe(0);
    // The name is free, and nothing of the old run comes back.
    const body = JSON.stringify({
      id,
      trace_id: id,
      dotted_order: `x${id}`,
      session_name: 'doomed',
      outputs: {},
    });
    expect((await fixture.send('/runs', { method: 'POST', body })).status).toBe(202);
    expect(await (await fixture.send(`/runs/${id}`)).json()).toMatchObject({ inputs: {}, name: '' });
  });

  it('keeps what a deleted project left out of a run that comes again', async () => {
    const id = await run('half gone', { inputs: { secret: 1 } });
    await fixture.fresh.db.run(`update traces.sessions set deleted_at = now() where name = 'half gone'`);
    const body = JSON.stringify({
      id,
      trace_id: id,
      dotted_order: `x${id}`,
      session_name: 'half gone',
      outputs: {},
    });
    await fixture.send('/runs', { method: 'POST', body });
    expect(await (await fixture.send(`/runs/${id}`)).json()).toMatchObject({
      inputs: {},
      name: '',
      outputs: {},
    });
  });

  it('hides the projects of other workspaces', async () => {
    const { id } = await fixture.client().createSession({ body: { name: 'ours' } });
    const stranger = fixture.client(OTHER_WORKSPACE);
    const params = { session_id: id };
    expect(await status(stranger.readSession({ params }))).toBe(404);
    expect(await status(stranger.patchSession({ params, body: { name: 'theirs' } }))).toBe(404);
    expect(await status(stranger.deleteSession({ params }))).toBe(404);
    expect(await stranger.listSessions({ query: { id: [id] } })).toEqual([]);
    expect(
      await status(stranger.listThreadTraces({ params: { thread_id: 't' }, query: { project_id: id } })),
    ).toBe(404);
    expect(await status(stranger.queryRuns({ body: { session: [id] } }))).toBe(404);
    expect((await fixture.client().readSession({ params })).tenant_id).toBe(WORKSPACE);
  });
});
