import { expect, it } from 'vitest';
import { startFixture } from '../testing/observability-fixture.ts';

/** Any query that tenants can make slow is cancelled after a while, with a sentence. */

it('when a list takes too long, then it is cancelled', async () => {
  await using fixture = await startFixture({
    between: (db) => ({
      ...db,
      transaction: async (work) =>
        db.transaction(async (tx) =>
          work({ ...tx, run: async (text, values) => tx.run(text.replace("'10s'", "'50ms'"), values) }),
        ),
    }),
  });
  const client = fixture.client();
  const { id } = await client.createSession({ body: { name: 'p' } });
  const dataset = await client.createDataset({ body: { name: 'd' } });
  const { share_token } = await client.shareDataset({ params: { dataset_id: dataset.id }, query: {} });
  const paths = [
    `/examples?dataset=${dataset.id}`,
    `/examples/count?dataset=${dataset.id}`,
    `/public/${share_token}/examples`,
    `/public/${share_token}/examples/count`,
    '/feedback',
    `/sessions/${id}/metadata`,
    `/sessions?facets=true&include_stats=true`,
    '/repos',
    '/repos/tags',
  ];
  const of_revisions = {
    start_time: '2026-01-05T00:00:00Z',
    end_time: '2026-01-06T00:00:00Z',
    group_by: { attribute: 'revision' },
  };
  // The slowest possible query waits for something that never ends.
  await fixture.fresh.db.transaction(async (tx) => {
    await tx.run('lock table traces.examples, traces.feedback, traces.prompts, traces.search');
    const answers = [
      ...paths.map(async (path) => [path, await fixture.send(path)] as const),
      (async () => ['/v2/series/query', await fixture.post('/v2/series/query', of_revisions)] as const)(),
    ];
    for (const [path, answer] of await Promise.all(answers)) {
      expect([path, answer.status, await answer.text()]).toEqual([
        path,
        400,
        expect.stringContaining('The query took longer than 10 seconds and was cancelled.'),
      ]);
    }
  });
});
