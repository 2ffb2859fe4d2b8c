import { statusOf, useFixture } from '@roadstead/testing';
import { describe, expect, it } from 'vitest';
import { uuidv7 } from '@roadstead/kit';
import { readFeedbackStats } from './feedback-stats-store.ts';
import { OTHER_WORKSPACE, startFixture, WORKSPACE } from '../testing/observability-fixture.ts';
import { ingestRun } from '../testing/ingest-run.ts';

const fixture = useFixture(startFixture);

const projectId = async (name: string) =>
  (await fixture().client().listSessions({ query: { name } }))[0]?.id ?? '';

describe('feedback formulas', () => {
  const parts = [
    { part_type: 'weighted_key' as const, weight: 3, key: 'a' },
    { part_type: 'weighted_key' as const, weight: 1, key: 'b' },
  ];

  it('when a formula is made, then it is the only one of its key and project until it is deleted', async () => {
    await ingestRun(fixture(), 'formulas');
    const session_id = await projectId('formulas');
    const client = fixture().client();
    const body = { session_id, feedback_key: 'f', aggregation_type: 'sum' as const, formula_parts: parts };
    const made = await client.createFeedbackFormula({ body });
    expect(made).toMatchObject({ ...body, dataset_id: null });
    expect(await statusOf(client.createFeedbackFormula({ body }))).toBe(409);
    expect(await statusOf(client.createFeedbackFormula({ body: { ...body, session_id: null } }))).toBe(400);
    expect(await statusOf(client.createFeedbackFormula({ body: { ...body, session_id: uuidv7() } }))).toBe(
      404,
    );
    const wrong = [{ part_type: 'weighted_key', weight: 'eval("1")', key: 'a' }];
    expect((await fixture().post('/feedback/formulas', { ...body, formula_parts: wrong })).status).toBe(422);
    const params = { feedback_formula_id: made.id };
    expect(await client.readFeedbackFormula({ params })).toEqual(made);
    expect(await client.listFeedbackFormulas({ query: { session_id } })).toEqual([made]);
    const change = { feedback_key: 'g', aggregation_type: 'avg' as const, formula_parts: parts.slice(1) };
    expect(await client.putFeedbackFormula({ params, body: change })).toMatchObject({
      ...change,
      session_id,
    });
    expect(await statusOf(fixture().client(OTHER_WORKSPACE).readFeedbackFormula({ params }))).toBe(404);
    await client.createFeedback({
      body: { run_id: await ingestRun(fixture(), 'formulas'), key: 'b', score: 7 },
    });
    const stats = await readFeedbackStats(fixture().fresh.db, {
      workspace_id: WORKSPACE,
      session_ids: [session_id],
      level: 'run',
    });
    expect(stats.get(session_id)).toMatchObject({ b: { avg: 7 }, g: { n: 1, avg: 7, min: null } });
    await client.deleteFeedbackFormula({ params });
    expect(await statusOf(client.readFeedbackFormula({ params }))).toBe(404);
    expect(await statusOf(client.deleteFeedbackFormula({ params }))).toBe(404);
  });
});
