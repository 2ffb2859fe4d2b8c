import { statusOf, useFixture } from '@roadstead/testing';
import { describe, expect, it } from 'vitest';
import { uuidv7 } from '@roadstead/kit';

import { startFixture, WORKSPACE } from '../testing/observability-fixture.ts';

const fixture = useFixture(startFixture);

describe('feedback configurations', () => {
  const client = () => fixture().client();
  const create = (feedback_key: string, max = 1) =>
    client().createFeedbackConfig({
      body: {
        feedback_key,
        feedback_config: { type: 'continuous', min: 0, max },
        is_lower_score_better: false,
      },
    });
  const give = (key: string, fields: object) =>
    fixture().post('/feedback', { run_id: uuidv7(), key, ...fields });

  it('when a configuration is made, then it is found and changed until it is deleted', async () => {
    const made = await create('config one');
    expect(made).toMatchObject({
      feedback_key: 'config one',
      tenant_id: WORKSPACE,
      is_lower_score_better: false,
    });
    expect((await create('config one')).modified_at).toBe(made.modified_at);
    expect(await statusOf(create('config one', 5))).toBe(400);
    const body = { feedback_key: 'config one', is_lower_score_better: true };
    const changed = await client().patchFeedbackConfig({ body });
    expect(changed).toMatchObject({ is_lower_score_better: true, feedback_config: made.feedback_config });
    expect(await client().listFeedbackConfigs({ query: { name_contains: 'FIG ONE' } })).toEqual([changed]);
    expect(await client().listFeedbackConfigs({ query: { key: 'config one' } })).toEqual([changed]);
    const query = { feedback_key: 'config one' };
    await client().deleteFeedbackConfig({ query });
    expect(await client().listFeedbackConfigs({ query: { key: 'config one' } })).toEqual([]);
    expect(await statusOf(client().deleteFeedbackConfig({ query }))).toBe(404);
    expect(await statusOf(client().patchFeedbackConfig({ body }))).toBe(404);
  });

  it('when feedback brings a configuration, then it is learned, under either of its names', async () => {
    const config = { type: 'categorical', categories: [{ value: 1, label: 'good' }] };
    expect((await give('learned', { feedbackConfig: config })).status).toBe(200);
    expect((await give('learned', { feedback_config: config })).status).toBe(200);
    expect((await give('learned', { feedback_config: { type: 'freeform' } })).status).toBe(400);
    const [learned] = await client().listFeedbackConfigs({ query: { key: 'learned' } });
    expect(learned?.feedback_config).toMatchObject(config);
    const listed = async (is_enforced: 'false' | 'true') =>
      client().listFeedbackConfigs({ query: { key: 'learned', is_enforced } });
    expect(await Promise.all((['false', 'true'] as const).map(listed))).toEqual([
      [expect.objectContaining({ is_enforced: false, is_first: true })],
      [],
    ]);
  });

  it('when several categories may be picked, then the configuration says so', async () => {
    const categories = [1, 2].map((value) => ({ value, label: `topic ${value}` }));
    const feedback_config = { type: 'categorical', categories, allows_multiple_categories: true } as const;
    const body = { feedback_key: 'several', feedback_config };
    expect((await client().createFeedbackConfig({ body })).feedback_config).toMatchObject(feedback_config);
    const one = { ...body, feedback_config: { ...feedback_config, allows_multiple_categories: false } };
    expect(await statusOf(client().createFeedbackConfig({ body: one }))).toBe(400);
  });

  it('when a configuration was decided on its own, then it holds, and other feedback is refused', async () => {
    await create('enforced');
    const run_id = uuidv7();
    const refused = await give('enforced', { run_id, feedback_config: { type: 'freeform' } });
    expect([refused.status, await refused.text()]).toEqual([409, expect.stringContaining('feedback_config')]);
    expect(await client().listFeedback({ query: { run: run_id } })).toEqual([]);
  });

  it('when categories are added or removed, then the configuration has them or loses them', async () => {
    const topics = [1, 2].map((value) => ({ value, label: `topic ${value}` }));
    const feedback_config = { type: 'categorical', categories: topics } as const;
    await client().createFeedbackConfig({ body: { feedback_key: 'topics', feedback_config } });
    const patch = (body: object) =>
      client().patchFeedbackConfig({ body: { feedback_key: 'topics', ...body } });
    const third = { value: 3, label: 'returns' };
    const added = await patch({ add_categories: [third] });
    expect(added.feedback_config.categories).toEqual([...topics, third]);
    expect(await statusOf(patch({ add_categories: [{ value: 3, label: 'again' }] }))).toBe(422);
    expect(await statusOf(patch({ add_categories: [{ value: 4, label: 'returns' }] }))).toBe(422);
    const removed = await patch({ remove_categories: [1] });
    expect(removed.feedback_config.categories).toEqual([topics[1], third]);
    expect(await statusOf(patch({ remove_categories: [2] }))).toBe(422);
    await create('of numbers');
    const numbers = { feedback_key: 'of numbers', remove_categories: [1] };
    expect(await statusOf(client().patchFeedbackConfig({ body: numbers }))).toBe(422);
  });

  it('when a configuration makes no sense, then it is refused', async () => {
    expect((await give('k', { feedback_config: { type: 'continuous', min: 2, max: 1 } })).status).toBe(400);
    expect((await give('k', { feedback_config: { type: 'categorical' } })).status).toBe(400);
  });
});
