import { useFixture } from '@roadstead/testing';
import { Client } from 'langsmith';
import { describe, expect, it } from 'vitest';
import { uuidv7 } from '@roadstead/kit';

import { startFixture, WORKSPACE } from '../testing/observability-fixture.ts';
import { ingestRun } from '../testing/ingest-run.ts';

const fixture = useFixture(startFixture);

describe('links for feedback', () => {
  it('when anybody has a link for feedback, then they give it on one run under one key', async () => {
    const run_id = await ingestRun(fixture(), 'linked');
    await using server = await fixture().listen();
    const client = new Client({ apiUrl: `${server.url}/api/v1`, apiKey: `key-${WORKSPACE}` });
    const token = await client.createPresignedFeedbackToken(run_id, 'by link');
    const path = new URL(token.url).pathname;
    expect(path).toBe(`/api/v1/feedback/tokens/${token.id}`);
    const hours = (Date.parse(token.expires_at) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(2.9);
    expect(hours).toBeLessThanOrEqual(3);
    const anybody = (init?: RequestInit, query = '') => fetch(`${server.url}${path}${query}`, init);
    expect((await anybody({}, '?score=true&comment=thanks')).status).toBe(200);
    const body = JSON.stringify({ score: 0.5, value: 'v', correction: { a: 1 }, metadata: { from: 'page' } });
    const headers = { 'content-type': 'application/json' };
    expect((await anybody({ method: 'POST', headers, body })).status).toBe(200);
    expect((await anybody({}, '?score=much')).status).toBe(422);
    const given = await fixture()
      .client()
      .listFeedback({ query: { run: run_id } });
    expect(given.map(({ key, score, value, comment }) => ({ key, score, value, comment }))).toEqual([
      { key: 'by link', score: 0.5, value: 'v', comment: null },
      { key: 'by link', score: 1, value: null, comment: 'thanks' },
    ]);
    expect(given[0]?.feedback_source).toMatchObject({
      type: 'api',
      metadata: { from: 'page' },
      user_id: null,
    });
    const listed = [];
    for await (const one of client.listPresignedFeedbackTokens(run_id)) listed.push(one);
    expect(listed).toEqual([token]);
  });

  it('when a link for feedback is kept, then it is a hash; expired is told from unknown', async () => {
    const client = fixture().client();
    const run_id = uuidv7();
    const create = (fields: object) =>
      fixture()
        .post('/feedback/tokens', { run_id, feedback_key: 'k', ...fields })
        .then(async (answer) => [answer.status, (await answer.json()) as { id: string }] as const);
    const [, token] = await create({ expires_in: { days: 0, hours: 0, minutes: 5 } });
    const { stored } = await fixture().fresh.db.one<{ stored: string }>(
      'select row_to_json(t)::text as stored from traces.feedback_tokens t where run_id = $1',
      [run_id],
    );
    expect(stored).not.toContain(token.id);
    const give = () => fixture().post(`/feedback/tokens/${token.id}`, { score: 1 }, 'nobody');
    expect((await give()).status).toBe(200);
    await fixture().fresh.db.run(
      `update traces.feedback_tokens set expires_at = now() - interval '1 second'`,
    );
    expect((await give()).status).toBe(404);
    expect(await client.listFeedbackTokens({ query: { run_id } })).toEqual([]);
    expect((await fixture().post(`/feedback/tokens/${uuidv7()}`, { score: 1 })).status).toBe(404);
    expect((await create({ expires_at: '2020-01-01T00:00:00Z' }))[0]).toBe(422);
    const many = await client.createFeedbackToken({
      body: [
        { run_id, feedback_key: 'a' },
        { run_id, feedback_key: 'b' },
      ],
    });
    expect(many).toMatchObject([{ feedback_key: 'a' }, { feedback_key: 'b' }]);
  });
});
