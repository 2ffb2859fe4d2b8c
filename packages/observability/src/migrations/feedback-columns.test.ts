import { describe, expect, it } from 'vitest';
import { uuidv7 } from '@roadstead/kit';
import { migrate } from '@roadstead/postgres';
import { freshDatabase } from '@roadstead/testing';
import { readFeedbackStats } from '../feedback/feedback-stats-store.ts';
import { migrations } from './index.ts';

describe('feedback that was stored as one record', () => {
  it('when feedback was stored as one record, then it becomes columns, unless it is no JSON', async () => {
    await using fresh = await freshDatabase('traces');
    const { db } = fresh;
    await migrate(db, { schema: 'traces', migrations: migrations.filter(({ id }) => id <= 2) });
    const [workspace_id, session_id] = [uuidv7(), uuidv7()];
    const add = async (record: string) => {
      const id = uuidv7();
      await db.run(
        `insert into traces.feedback (workspace_id, feedback_id, run_id, session_id, key, record, received_at)
         values ($1, $2, $2, $3, 'k', $4, '2026-01-05')`,
        [workspace_id, id, session_id, Buffer.from(record)],
      );
      return id;
    };
    const whole = await add(
      JSON.stringify({
        key: 'k',
        score: true,
        value: 'a\0b',
        comment: 'c',
        correction: { d: 1 },
        feedback_source: { type: 'model' },
        extra: null,
      }),
    );
    const huge = await add('{"key":"k","score":1e300}');
    const half = await add(String.raw`{"key":"k","comment":"\ud800"}`);
    await migrate(db, { schema: 'traces', migrations });
    const read = (id: string) =>
      db.one(
        `select score, value, comment, correction, source_type, error, extra, record, created_at
         from traces.feedback where feedback_id = $1`,
        [id],
      );
    expect(await read(whole)).toEqual({
      score: 1,
      value: 'a\ufffdb',
      comment: 'c',
      correction: { d: 1 },
      source_type: 'model',
      error: false,
      extra: null,
      record: null,
      created_at: '2026-01-05T00:00:00.000Z',
    });
    expect(await read(huge)).toMatchObject({ score: null, record: null });
    expect(await read(half)).toMatchObject({ comment: null, source_type: 'api' });
    expect(Buffer.isBuffer((await read(half))['record'])).toBe(true);
    const stats = await readFeedbackStats(db, { workspace_id, session_ids: [session_id], level: 'run' });
    expect(stats.get(session_id)).toMatchObject({ k: { n: 3, avg: 1 } });
  });
});
