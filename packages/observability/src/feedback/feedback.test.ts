import { statusOf, useFixture } from '@roadstead/testing';
import { describe, expect, it } from 'vitest';
import { uuidv7 } from '@roadstead/kit';
import { readFeedbackStats } from './feedback-stats-store.ts';
import { OTHER_WORKSPACE, startFixture, WORKSPACE, multipartInit } from '../testing/observability-fixture.ts';
import { ingestRun } from '../testing/ingest-run.ts';

const fixture = useFixture(startFixture);

const projectId = async (name: string) =>
  (await fixture().client().listSessions({ query: { name } }))[0]?.id ?? '';

describe('feedback', () => {
  it('when feedback is created, then it is read and changed until it is deleted', async () => {
    const client = fixture().client();
    const run_id = await ingestRun(fixture(), 'feedback');
    const given = await client.createFeedback({
      body: {
        run_id,
        key: 'k',
        score: true,
        value: { a: 'b\0' },
        comment: 'half \ud800',
        correction: 'so',
        extra: { more: 1 },
        feedback_source: { type: 'app', metadata: { __run: { run_id } } },
        created_at: 1_767_571_200_000,
      },
    });
    expect(given).toEqual({
      id: given.id,
      run_id,
      trace_id: run_id,
      session_id: await projectId('feedback'),
      start_time: '2026-01-05T00:00:00.000000',
      key: 'k',
      score: 1,
      value: { a: 'b\ufffd' },
      comment: 'half \ufffd',
      correction: 'so',
      extra: { more: 1 },
      is_root: true,
      error: false,
      feedback_source: { type: 'app', metadata: { __run: { run_id } }, user_id: null, user_name: null },
      feedback_group_id: null,
      comparative_experiment_id: null,
      feedback_thread_id: null,
      created_at: '2026-01-05T00:00:00.000000',
      modified_at: given.modified_at,
    });
    const params = { feedback_id: given.id };
    expect(await client.readFeedback({ params })).toEqual(given);
    const changed = await client.patchFeedback({ params, body: { score: 0.25, comment: null } });
    expect(changed).toMatchObject({ score: 0.25, comment: null, correction: 'so', value: given.value });
    await client.deleteFeedback({ params });
    expect(await statusOf(client.readFeedback({ params }))).toBe(404);
    expect(await statusOf(client.deleteFeedback({ params }))).toBe(404);
    expect(await statusOf(client.patchFeedback({ params, body: {} }))).toBe(404);
  });

  it('when a key gives feedback, then the feedback says that it is of that key', async () => {
    const key_id = uuidv7();
    const answer = await fixture().send('/feedback', {
      method: 'POST',
      actor: `key:${WORKSPACE}`,
      body: JSON.stringify({ run_id: key_id, key: 'k' }),
    });
    expect(await answer.json()).toMatchObject({ feedback_source: { user_id: WORKSPACE, user_name: null } });
    const [named] = await fixture()
      .client()
      .listFeedback({
        query: { run: key_id, include_user_names: 'true', user: [WORKSPACE] },
      });
    expect(named?.feedback_source).toMatchObject({ user_id: WORKSPACE, user_name: 'first' });
  });

  it('when feedback comes before its run and twice, then it is there once', async () => {
    const body = { id: uuidv7(), run_id: uuidv7(), key: 'k', score: 1 };
    const first = await fixture().client().createFeedbackEagerly({ body });
    expect(first).toMatchObject({ session_id: null, trace_id: null, start_time: null });
    expect((await fixture().client().createFeedback({ body })).id).toBe(body.id);
    expect(
      await fixture()
        .client()
        .listFeedback({ query: { run: body.run_id } }),
    ).toHaveLength(1);
  });

  it('when much feedback is given, changed and removed at once, then it is counted exactly', async () => {
    const runs = await Promise.all(Array.from({ length: 4 }, () => ingestRun(fixture(), 'crowded')));
    const session_id = await projectId('crowded');
    const client = fixture().client();
    const give = async (index: number) => {
      const body = {
        run_id: runs[index % 4] ?? '',
        key: `k${index % 3}`,
        score: index % 5,
        value: `v${index % 2}`,
      };
      const { id: feedback_id } = await client.createFeedback({ body });
      if (index % 4 === 1)
        await client.patchFeedback({ params: { feedback_id }, body: { value: 'other', score: 1 } });
      if (index % 4 === 2) await client.deleteFeedback({ params: { feedback_id } });
    };
    const send = async (index: number) => {
      const parts = Array.from({ length: 9 }, (_, at) => {
        const one = { key: `k${(index + at) % 3}`, run_id: runs[(index * at) % 4], score: at };
        return [`feedback.${uuidv7()}`, JSON.stringify(one)] as const;
      });
      expect((await fixture().send('/runs/multipart', multipartInit(parts))).status).toBe(202);
    };
    await Promise.all(
      Array.from({ length: 40 }, (_, index) => (index % 5 === 0 ? send(index) : give(index))),
    );
    const { db } = fixture().fresh;
    const scope = { workspace_id: WORKSPACE, session_ids: [session_id], level: 'run' as const };
    const rolled = await readFeedbackStats(db, scope);
    const counted = await db.query<{ key: string; n: number; avg: number }>(
      `select key, count(*) as n, avg(score) as avg from traces.feedback where session_id = $1 group by key`,
      [session_id],
    );
    expect(counted).toHaveLength(3);
    for (const { key, n, avg } of counted) {
      expect(rolled.get(session_id)?.[key]?.n).toBe(n);
      expect(rolled.get(session_id)?.[key]?.avg).toBeCloseTo(avg, 9);
    }
  });

  it('when feedback names no run, then it is of a project as a whole, and of nothing else', async () => {
    await ingestRun(fixture(), 'whole');
    const session_id = await projectId('whole');
    const client = fixture().client();
    await client.createFeedback({ body: { session_id, key: 'overall', score: 3 } });
    expect(await client.listFeedback({ query: { session: session_id, level: 'session' } })).toHaveLength(1);
    expect(await client.listFeedback({ query: { session: session_id, level: 'run' } })).toHaveLength(0);
    expect(await statusOf(client.createFeedback({ body: { session_id: uuidv7(), key: 'k' } }))).toBe(404);
    const stranger = fixture().client(OTHER_WORKSPACE);
    expect(await statusOf(stranger.createFeedback({ body: { session_id, key: 'k' } }))).toBe(404);
    expect(await stranger.listFeedback({ query: { session: session_id } })).toEqual([]);
    const nothing = await fixture().post('/feedback', { key: 'k' });
    expect([nothing.status, await nothing.text()]).toEqual([422, expect.stringContaining('run_id')]);
  });

  it.each([
    ['key', { key: '' }],
    ['key', { key: 'x'.repeat(181) }],
    ['score', { score: 'high' }],
    ['score', { score: 1e16 }],
    ['value', { value: ['listed'] }],
    ['correction', { correction: 5 }],
    ['run_id', { run_id: 'x' }],
    ['extra', { extra: { x: 'x'.repeat(70_000) } }],
    ['created_at', { created_at: 'yesterday' }],
    ['feedback_config', { feedback_config: { type: 'stars' } }],
  ])('when %s of feedback is wrong, then the refusal names it', async (name, wrong) => {
    const answer = await fixture().post('/feedback', { key: 'k', run_id: uuidv7(), ...wrong });
    expect([answer.status, await answer.text()]).toEqual([422, expect.stringContaining(name)]);
  });

  it('when feedback is listed, then each of its filters finds it, newest first and in pages', async () => {
    const run = await ingestRun(fixture(), 'filtered');
    const session = await projectId('filtered');
    const client = fixture().client();
    const comparative_experiment_id = uuidv7();
    const at = (day: number) => `2026-02-0${day}T00:00:00Z`;
    for (const [day, one] of [
      { key: 'a,b', score: 1, comment: 'c', feedback_source: { type: 'model' } },
      { key: 'x', value: 'only' },
      { key: 'y', comparative_experiment_id },
    ].entries())
      await client.createFeedback({ body: { run_id: run, created_at: at(day + 1), ...one } });
    const keys = async (query: NonNullable<Parameters<typeof client.listFeedback>[0]['query']>) =>
      (await client.listFeedback({ query: { run, ...query } })).map((one) => one.key);
    expect(await keys({})).toEqual(['y', 'x', 'a,b']);
    expect(await keys({ key: 'a,b' })).toEqual(['a,b']);
    expect(await keys({ key: ['x', 'y'] })).toEqual(['y', 'x']);
    expect(await keys({ session, limit: '1', offset: '1' })).toEqual(['x']);
    expect(await keys({ source: 'model' })).toEqual(['a,b']);
    expect(await keys({ has_score: 'true' })).toEqual(['a,b']);
    expect(await keys({ has_comment: 'false' })).toEqual(['y', 'x']);
    expect(await keys({ min_created_at: at(2) })).toEqual(['y', 'x']);
    expect(await keys({ max_created_at: at(2) })).toEqual(['x', 'a,b']);
    expect(await keys({ comparative_experiment_id })).toEqual(['y']);
    expect(await keys({ user: uuidv7() })).toEqual([]);
    expect(await statusOf(keys({ min_created_at: 'x' }))).toBe(422);
    expect(await statusOf(keys({ limit: '101' }))).toBe(422);
  });
});

describe('what is said of what is deleted', () => {
  it('when runs or projects are deleted, then their feedback is gone at once', async () => {
    const client = fixture().client();
    const run_id = await ingestRun(fixture(), 'partly deleted');
    await ingestRun(fixture(), 'partly deleted');
    const session_id = await projectId('partly deleted');
    const { id } = await client.createFeedback({ body: { run_id, key: 'k', score: 1 } });
    const overall = await client.createFeedback({ body: { session_id, key: 'k', score: 1 } });
    const deletion = await client.deleteRuns({ body: { session_id, trace_ids: [run_id] } });
    expect(deletion.removed.feedback).toBe(1);
    expect(await statusOf(client.readFeedback({ params: { feedback_id: id } }))).toBe(404);
    const scope = { workspace_id: WORKSPACE, session_ids: [session_id], level: 'run' as const };
    expect((await readFeedbackStats(fixture().fresh.db, scope)).size).toBe(0);
    await client.deleteSession({ params: { session_id } });
    expect(await statusOf(client.readFeedback({ params: { feedback_id: overall.id } }))).toBe(404);
    expect(await client.listFeedback({ query: { session: session_id } })).toEqual([]);
  });
});
