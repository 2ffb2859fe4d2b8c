import { useFixture } from '@roadstead/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { uuidv7 } from '@roadstead/kit';
import { multipartInit, startFixture, WORKSPACE } from '../testing/observability-fixture.ts';
import type { FeedbackRow, FeedbackStats } from '../records/feedback-row.ts';
import { placeFeedback } from './feedback-placing-store.ts';
import { readFeedbackStats } from './feedback-stats-store.ts';
import { MAX_SCORE } from '../records/feedback-rules.ts';
import { upsertFeedback } from './feedback-store.ts';
import { ingestRun } from '../testing/ingest-run.ts';

const fixture = useFixture(startFixture);

// Feedback whose run never comes is removed once it is old.
const now = new Date().toISOString();
const row = (over: Partial<FeedbackRow>): FeedbackRow => ({
  workspace_id: WORKSPACE,
  feedback_id: uuidv7(),
  run_id: uuidv7(),
  trace_id: null,
  session_id: null,
  key: 'k',
  score: null,
  value: null,
  comment: null,
  correction: null,
  source_type: 'api',
  source: { type: 'api' },
  user_id: null,
  feedback_group_id: null,
  comparative_experiment_id: null,
  error: false,
  extra: null,
  created_at: now,
  modified_at: now,
  ...over,
});
const write = (rows: readonly FeedbackRow[]) =>
  fixture().fresh.db.transaction((tx) => upsertFeedback(tx, rows));
const ofProject = async (session_id: string): Promise<FeedbackStats> =>
  (
    await readFeedbackStats(fixture().fresh.db, {
      workspace_id: WORKSPACE,
      session_ids: [session_id],
      level: 'run',
    })
  ).get(session_id) ?? {};

interface StoredFeedback {
  readonly trace_id: string | null;
  readonly session_id: string | null;
  readonly thread_id: string | null;
  readonly is_root: boolean;
}
const stored = (feedback_id: string) =>
  fixture().fresh.db.one<StoredFeedback>(
    'select trace_id, session_id, thread_id, is_root from traces.feedback where feedback_id = $1',
    [feedback_id],
  );

describe('feedback statistics', () => {
  it('when feedback is given, then the statistics of its key say what it was', async () => {
    const run_id = uuidv7();
    await write([
      row({ run_id, score: 1, comment: 'well done', source_type: 'model' }),
      row({ run_id, score: 0 }),
      row({ run_id, error: true, comment: '' }),
      row({ run_id, key: 'tone', value: 'kind' }),
      row({ run_id, key: 'tone', value: 'kind' }),
      row({ run_id, key: 'tone', value: 'rude' }),
      row({ workspace_id: uuidv7(), run_id, score: 7 }),
    ]);
    const stats = await readFeedbackStats(fixture().fresh.db, {
      workspace_id: WORKSPACE,
      run_ids: [run_id, uuidv7()],
    });
    expect([...stats.keys()]).toEqual([run_id]);
    expect(stats.get(run_id)).toEqual({
      k: {
        n: 3,
        avg: 0.5,
        min: 0,
        max: 1,
        stdev: Math.SQRT1_2,
        errors: 1,
        values: {},
        comments: ['well done'],
        sources: ['api', 'model'],
        contains_thread_feedback: false,
      },
      tone: expect.objectContaining({
        n: 3,
        avg: null,
        stdev: null,
        values: { kind: 2, rude: 1 },
      }) as unknown,
    });
  });

  it('when feedback is written, changed or removed, then statistics agree with what is stored', async () => {
    const score = fc.option(fc.double({ noNaN: true, min: -MAX_SCORE, max: MAX_SCORE }));
    const change = fc.record({
      id: fc.nat(5),
      session: fc.nat(1),
      key: fc.constantFrom('a', 'b'),
      score,
      value: fc.option(fc.constantFrom('x', 'y')),
      error: fc.boolean(),
      removed: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 20 }), async (changes) => {
        const ids = Array.from({ length: 6 }, () => uuidv7());
        const sessions = [uuidv7(), uuidv7()];
        for (const { id, session, removed, ...fields } of changes) {
          const feedback_id = ids[id] ?? '';
          if (removed)
            await fixture().fresh.db.run('delete from traces.feedback where feedback_id = $1', [feedback_id]);
          else await write([row({ ...fields, feedback_id, session_id: sessions[session] ?? '' })]);
        }
        for (const session_id of sessions) {
          const rows = await fixture().fresh.db.query<{ run_id: string }>(
            `update traces.feedback set run_id = $2 where session_id = $1 returning run_id`,
            [session_id, session_id],
          );
          const stats = await readFeedbackStats(fixture().fresh.db, {
            workspace_id: WORKSPACE,
            run_ids: [session_id],
          });
          expect(await ofProject(session_id)).toEqual(rows.length === 0 ? {} : stats.get(session_id));
        }
        await fixture().fresh.db.run('delete from traces.feedback where session_id = any ($1::uuid[])', [
          sessions,
        ]);
        const [left] = await fixture().fresh.db.query(
          'select from traces.feedback_rollups where session_id = any ($1::uuid[])',
          [sessions],
        );
        expect(left).toBeUndefined();
      }),
      { numRuns: 40 },
    );
  });

  it('when the same feedback is sent again, then it does not count twice', async () => {
    const session_id = uuidv7();
    const one = row({ session_id, score: 1 });
    await write([one]);
    await write([one, { ...one, score: 3 }]);
    expect(await ofProject(session_id)).toMatchObject({ k: { n: 1, avg: 3, min: 3, max: 3 } });
  });

  it('when feedback is on a project, then it is kept apart from that on its runs', async () => {
    const session_id = uuidv7();
    await write([row({ session_id, run_id: null, score: 5 }), row({ session_id, score: 1 })]);
    const stats = await readFeedbackStats(fixture().fresh.db, {
      workspace_id: WORKSPACE,
      session_ids: [session_id],
      level: 'session',
    });
    expect(stats.get(session_id)).toMatchObject({ k: { n: 1, avg: 5 } });
    expect(await ofProject(session_id)).toMatchObject({ k: { n: 1, avg: 1 } });
  });

  it('when a run is there before its feedback, then its project, trace and thread are known', async () => {
    const run_id = uuidv7();
    const feedback_id = uuidv7();
    await ingestRun(fixture(), 'placed', {
      id: run_id,
      start_time: now,
      extra: { metadata: { thread_id: 'thread 1' } },
    });
    const part = [`feedback.${feedback_id}`, JSON.stringify({ key: 'k', score: true, run_id })] as const;
    expect((await fixture().send('/runs/multipart', multipartInit([part]))).status).toBe(202);
    const { session_id, ...others } = await stored(feedback_id);
    expect(others).toEqual({ trace_id: run_id, thread_id: 'thread 1', is_root: true });
    expect(await ofProject(session_id ?? '')).toMatchObject({ k: { n: 1, avg: 1 } });
    const threads = await readFeedbackStats(fixture().fresh.db, {
      workspace_id: WORKSPACE,
      session_id: session_id ?? '',
      thread_ids: ['thread 1', 'other'],
    });
    expect(threads.get('thread 1')).toMatchObject({ k: { n: 1 } });
  });

  it('when a run comes after its feedback, then the feedback learns its project, once', async () => {
    const run_id = uuidv7();
    const feedback_id = uuidv7();
    await write([row({ feedback_id, run_id, score: 1 })]);
    await ingestRun(fixture(), 'late', {
      id: run_id,
      start_time: now,
      extra: { metadata: { thread_id: 'thread 1' } },
    });
    const { db } = fixture().fresh;
    await placeFeedback(db, { workspace_id: WORKSPACE, run_ids: [run_id] });
    const { session_id, trace_id } = await stored(feedback_id);
    expect(trace_id).toBe(run_id);
    expect(await ofProject(session_id ?? '')).toMatchObject({ k: { n: 1 } });
    expect(await placeFeedback(db, { workspace_id: WORKSPACE, run_ids: [run_id] })).toBe(0);
    expect(await placeFeedback(db, { workspace_id: uuidv7(), run_ids: [run_id] })).toBe(0);
  });
});
