import { setTimeout as sleep } from 'node:timers/promises';
import { TracerSession } from '@roadstead/contracts/observability';
import { uuidv7 } from '@roadstead/kit';
import { statusOf, useFixture } from '@roadstead/testing';
import { describe, expect, it } from 'vitest';
import { OTHER_WORKSPACE, startFixture, WORKSPACE, multipartInit } from '../testing/observability-fixture.ts';

const fixture = useFixture(startFixture);

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
  expect((await fixture().send('/runs', { method: 'POST', body })).status).toBe(202);
  return id;
}

describe('projects', () => {
  it('when a workspace is new, then it has a default project', async () => {
    const workspace_id = uuidv7();
    const [only, ...others] = await fixture().client(workspace_id).listSessions({});
    expect(only).toMatchObject({ name: 'default', tenant_id: workspace_id });
    expect(others).toEqual([]);
  });

  it('when an id and times are given, then a project takes them, and a second one is refused', async () => {
    const client = fixture().client();
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
    expect(await statusOf(client.createSession({ body: { name: 'given' } }))).toBe(409);
    expect(await statusOf(client.createSession({ body: { id, name: 'other' } }))).toBe(409);
    expect(await statusOf(client.createSession({ body: {} }))).toBe(422);
    expect(await statusOf(fixture().client(OTHER_WORKSPACE).createSession({ body }))).toBe(200);
  });

  it('when a project is upserted with a dataset, then it does not become an experiment', async () => {
    const client = fixture().client();
    const plain = await client.createSession({ body: { name: 'plain' } });
    const upsert = (reference_dataset_id: string | null) =>
      client.createSession({ query: { upsert: 'true' }, body: { name: 'plain', reference_dataset_id } });
    expect(await statusOf(upsert(uuidv7()))).toBe(409);
    expect((await upsert(null)).id).toBe(plain.id);
  });

  it('when a project is changed, then what is given is changed, and what is null is left', async () => {
    const client = fixture().client();
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
    expect(await statusOf(patch({ name: 'taken' }))).toBe(409);
  });

  it('when projects are listed, then filters find them, and they are sorted', async () => {
    const workspace_id = uuidv7();
    const client = fixture().client(workspace_id);
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
    expect(await statusOf(listed({ metadata: 'x' }))).toBe(422);
    const extra = { metadata: { much: 'x'.repeat(70_000) } };
    expect(await statusOf(client.createSession({ body: { name: 'large', extra } }))).toBe(422);
    expect(await statusOf(listed({ filter: 'eq(name,' }))).toBe(400);
  });

  it('when a project is an experiment, then it has a number, its progress and its runs’ feedback', async () => {
    const workspace_id = uuidv7();
    const client = fixture().client(workspace_id);
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
    const sent = await fixture().send('/runs/multipart', {
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

  it('when a project has root runs, then it has statistics of them, and is sorted by them', async () => {
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
    const client = fixture().client();
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

  it('when a run ends before it starts, then it took no time; an unfinished one does not count', async () => {
    await run('short', { start_time: '2026-01-05T00:00:00.000001Z', end_time: '2026-01-05T00:00:00.000Z' });
    await run('short', { start_time: '2026-01-05T00:00:00Z', end_time: '2026-01-05T00:00:04Z' });
    await run('short', { start_time: '2026-01-05T00:00:00Z' });
    const [short] = await fixture()
      .client()
      .listSessions({ query: { name: 'short', include_stats: 'true' } });
    expect(short).toMatchObject({ run_count: 3, latency_p50: expect.closeTo(2, 1) });
  });

  it('when a project is deleted, then it is gone at once, and its runs soon after', async () => {
    const id = await run('doomed', { inputs: { secret: 1 } });
    const client = fixture().client();
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
    expect(await statusOf(client.readSession({ params }))).toBe(404);
    expect(await statusOf(client.deleteSession({ params }))).toBe(404);
    expect((await fixture().send(`/runs/${id}`)).status).toBe(404);
    const { db } = fixture().fresh;
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
    expect((await fixture().send('/runs', { method: 'POST', body })).status).toBe(202);
    expect(await (await fixture().send(`/runs/${id}`)).json()).toMatchObject({ inputs: {}, name: '' });
  });

  it('when a run of a deleted project comes again, then what was deleted is left out of it', async () => {
    const id = await run('half gone', { inputs: { secret: 1 } });
    await fixture().fresh.db.run(`update traces.sessions set deleted_at = now() where name = 'half gone'`);
    const body = JSON.stringify({
      id,
      trace_id: id,
      dotted_order: `x${id}`,
      session_name: 'half gone',
      outputs: {},
    });
    await fixture().send('/runs', { method: 'POST', body });
    expect(await (await fixture().send(`/runs/${id}`)).json()).toMatchObject({
      inputs: {},
      name: '',
      outputs: {},
    });
  });

  it('when a project is another workspace’s, then it is hidden', async () => {
    const { id } = await fixture()
      .client()
      .createSession({ body: { name: 'ours' } });
    const stranger = fixture().client(OTHER_WORKSPACE);
    const params = { session_id: id };
    expect(await statusOf(stranger.readSession({ params }))).toBe(404);
    expect(await statusOf(stranger.patchSession({ params, body: { name: 'theirs' } }))).toBe(404);
    expect(await statusOf(stranger.deleteSession({ params }))).toBe(404);
    expect(await stranger.listSessions({ query: { id: [id] } })).toEqual([]);
    expect(
      await statusOf(stranger.listThreadTraces({ params: { thread_id: 't' }, query: { project_id: id } })),
    ).toBe(404);
    expect(await statusOf(stranger.queryRuns({ body: { session: [id] } }))).toBe(404);
    expect((await fixture().client().readSession({ params })).tenant_id).toBe(WORKSPACE);
  });
});
