import { useFixture } from '@roadstead/testing';
import { describe, expect, it } from 'vitest';
import { uuidv7 } from '@roadstead/kit';
import { readFeedbackStats } from './feedback-stats-store.ts';
import { OTHER_WORKSPACE, startFixture, WORKSPACE } from '../testing/observability-fixture.ts';

const fixture = useFixture(startFixture);

const status = async (promise: Promise<unknown>): Promise<number> =>
  promise.then(
    () => 200,
    (error: unknown) => (error as { status: number }).status,
  );
const post = (path: string, body: unknown, workspace_id?: string) =>
  fixture().send(path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
    ...(workspace_id === undefined ? {} : { workspace_id }),
  });

async function ingestRun(project = 'feedback'): Promise<string> {
  const id = uuidv7();
  const run = {
    id,
    trace_id: id,
    dotted_order: `20260105T000000000000Z${id}`,
    name: 'r',
    run_type: 'chain',
    start_time: '2026-01-05T00:00:00Z',
    session_name: project,
  };
  expect((await post('/runs', run)).status).toBe(202);
  return id;
}
const projectId = async (name: string) =>
  (await fixture().client().listSessions({ query: { name } }))[0]?.id ?? '';

describe('feedback formulas', () => {
  const parts = [
    { part_type: 'weighted_key' as const, weight: 3, key: 'a' },
    { part_type: 'weighted_key' as const, weight: 1, key: 'b' },
  ];

  it('when a formula is made, then it is the only one of its key and project until it is deleted', async () => {
    await ingestRun('formulas');
    const session_id = await projectId('formulas');
    const client = fixture().client();
    const body = { session_id, feedback_key: 'f', aggregation_type: 'sum' as const, formula_parts: parts };
    const made = await client.createFeedbackFormula({ body });
    expect(made).toMatchObject({ ...body, dataset_id: null });
    expect(await status(client.createFeedbackFormula({ body }))).toBe(409);
    expect(await status(client.createFeedbackFormula({ body: { ...body, session_id: null } }))).toBe(400);
    expect(await status(client.createFeedbackFormula({ body: { ...body, session_id: uuidv7() } }))).toBe(404);
    const wrong = [{ part_type: 'weighted_key', weight: 'eval("1")', key: 'a' }];
    expect((await post('/feedback/formulas', { ...body, formula_parts: wrong })).status).toBe(422);
    const params = { feedback_formula_id: made.id };
    expect(await client.readFeedbackFormula({ params })).toEqual(made);
    expect(await client.listFeedbackFormulas({ query: { session_id } })).toEqual([made]);
    const change = { feedback_key: 'g', aggregation_type: 'avg' as const, formula_parts: parts.slice(1) };
    expect(await client.putFeedbackFormula({ params, body: change })).toMatchObject({
      ...change,
      session_id,
    });
    expect(await status(fixture().client(OTHER_WORKSPACE).readFeedbackFormula({ params }))).toBe(404);
    await client.createFeedback({ body: { run_id: await ingestRun('formulas'), key: 'b', score: 7 } });
    const stats = await readFeedbackStats(fixture().fresh.db, {
      workspace_id: WORKSPACE,
      session_ids: [session_id],
      level: 'run',
    });
    expect(stats.get(session_id)).toMatchObject({ b: { avg: 7 }, g: { n: 1, avg: 7, min: null } });
    await client.deleteFeedbackFormula({ params });
    expect(await status(client.readFeedbackFormula({ params }))).toBe(404);
    expect(await status(client.deleteFeedbackFormula({ params }))).toBe(404);
  });
});
