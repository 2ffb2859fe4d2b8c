import { uuidv7 } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { describe, expect, it } from 'vitest';
import { ingestions, startFixture } from '../testing/observability-fixture.ts';
import { sentRoot } from '../testing/sent-runs.ts';

/** The state in which no more traces are accepted, and the answers that clients then get. */

describe('back pressure', () => {
  it.each(ingestions)(
    'when the disk is nearly full, then runs taken in %s get a 503, and reads go on',
    async (_where, where) => {
      let free = 50;
      let now = 0;
      await using small = await startFixture({
        ...where,
        free_disk: async () => free,
        clock: { now: () => Date.now() + now },
      });
      const send = () => small.send('/runs', { method: 'POST', body: sentRoot(uuidv7()) });
      expect((await send()).status).toBe(202);
      free = 4.9;
      now += 5000;
      const refused = await send();
      expect(refused.status).toBe(503);
      expect(refused.headers.get('retry-after')).toBe('60');
      expect(await (await small.send('/info/health')).json()).toEqual({ clickhouse_disk_free_pct: 4.9 });
      expect((await small.send('/sessions')).status).toBe(200);
    },
  );

  it('when the database is away, then the answer is 503 with Retry-After', async () => {
    let away = false;
    const refuse = () =>
      Promise.reject(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }));
    const between = (db: Database): Database => ({
      ...db,
      query: (...call) => (away ? refuse() : db.query(...call)),
      transaction: (work) => (away ? refuse() : db.transaction(work)),
    });
    await using cut = await startFixture({ between });
    away = true;
    const id = uuidv7();
    const answers = [
      await cut.send('/runs', { method: 'POST', body: sentRoot(id) }),
      await cut.send(`/runs/${id}`),
      await cut.send('/api/ok'),
    ];
    expect(answers.map((answer) => [answer.status, answer.headers.get('retry-after')])).toEqual([
      [503, '1'],
      [503, '1'],
      [503, '2'],
    ]);
    away = false;
    expect((await cut.send('/runs', { method: 'POST', body: sentRoot(id) })).status).toBe(202);
    expect((await cut.send('/api/ok')).status).toBe(200);
  });
});
