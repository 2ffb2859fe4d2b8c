import { statusOf, useFixture } from '@roadstead/testing';
import { describe, expect, it } from 'vitest';
import { uuidv7 } from '@roadstead/kit';
import { entryOf, idsOf, type Reviewer, say, startQueueFixture } from '../testing/queue-fixture.ts';

const queues = useFixture(startQueueFixture);

describe('reviewing', () => {
  it('when a reviewer completes a run, then it goes to the next one until enough have done so', async () => {
    const { params, queue_id, run_ids } = await queues().makeQueue({ num_reviewers_per_item: 2 });
    const [a, b] = [queues().reviewer(), queues().reviewer()];
    const [first = '', second = ''] = run_ids;
    const item = await entryOf(a, queue_id, first);
    expect(await say(a, item, 'completed')).toMatchObject({ queue_item_id: item, is_archived: false });
    const section = async (who: Reviewer, of: string) => idsOf(who, queue_id, { status: of });
    expect(await section(a, 'needs_my_review')).toEqual([second]);
    expect(await section(a, 'needs_others_review')).toEqual([first]);
    expect(await section(b, 'needs_my_review')).toEqual([first, second]);
    expect(await say(b, item, 'completed')).toMatchObject({ is_archived: true });
    expect(await say(b, item, 'completed')).toMatchObject({ is_archived: true });
    expect(await section(a, 'completed')).toEqual([first]);
    expect(await idsOf(b, queue_id, { archived: 'false' })).toEqual([second]);
    expect(await a.countOpenQueuedRuns({ params, query: {} })).toEqual({ size: 1 });
    expect(await a.countFinishedQueuedRuns({ params, query: {} })).toEqual({ size: 1 });
    const query = { start_time: new Date(queues().clock.now_ms + 1000).toISOString() };
    expect(await a.countFinishedQueuedRuns({ params, query })).toEqual({ size: 0 });
    expect(await a.countQueuedRuns({ params })).toEqual({ size: 2 });
    expect(await say(a, item, null)).toMatchObject({ is_archived: false });
    expect(await section(a, 'needs_my_review')).toEqual([first, second]);
  });

  it('when a reviewer has reserved an item, then others do not see it until that is over', async () => {
    const { queue_id, run_ids } = await queues().makeQueue({ reservation_minutes: 5 });
    const [a, b] = [queues().reviewer(), queues().reviewer()];
    const [first = '', second = ''] = run_ids;
    const item = await entryOf(a, queue_id, first);
    const mine = async (who: Reviewer) => idsOf(who, queue_id, { status: 'needs_my_review' });
    await say(a, item, 'viewed');
    expect(await mine(b)).toEqual([second]);
    queues().clock.now_ms += 1000;
    await say(b, item, 'viewed');
    queues().clock.now_ms += 1000;
    await say(a, item, 'viewed');
    expect(await mine(a)).toEqual([first, second]);
    expect(await mine(b)).toEqual([second]);
    queues().clock.now_ms += 6 * 60_000;
    expect(await mine(b)).toEqual([first, second]);
    await say(b, item, 'viewed');
    expect(await mine(a)).toEqual([second]);
  });

  it('when a queue wants no reservations, then nothing is reserved', async () => {
    const { queue_id, run_ids } = await queues().makeQueue({ enable_reservations: false });
    const [a, b] = [queues().reviewer(), queues().reviewer()];
    await say(a, await entryOf(a, queue_id, run_ids[0] ?? ''), 'viewed');
    expect(await idsOf(b, queue_id, { status: 'needs_my_review' })).toEqual(run_ids);
  });

  it('when many review a run at once, then exactly as many as it takes complete it', async () => {
    const { params, queue_id, run_ids } = await queues().makeQueue({ num_reviewers_per_item: 3 }, 1);
    const reviewers = Array.from({ length: 4 }, queues().reviewer);
    const item = await entryOf(queues().reviewer(), queue_id, run_ids[0] ?? '');
    const answers = await Promise.all(reviewers.map((who) => say(who, item, 'completed')));
    expect(answers.filter((answer) => answer.is_archived)).toHaveLength(2);
    const [run] = await queues()
      .reviewer()
      .listQueuedRuns({ params, query: { status: 'completed' } });
    expect(run?.completed_by).toHaveLength(4);
  });

  it('when entries are read by place, then what waits for the caller counts', async () => {
    const { queue_id, run_ids } = await queues().makeQueue({}, 3);
    const who = queues().reviewer();
    const [first = '', second = '', third = ''] = run_ids;
    const item = await entryOf(who, queue_id, first);
    const at = async (index: string) =>
      (await who.readQueuedRunAt({ params: { queue_id, index }, query: {} })).id;
    expect(await at('0')).toBe(first);
    await who.setQueuedRunStatus({ params: { queue_run_id: item }, body: { status: 'completed' } });
    expect(await at('0')).toBe(second);
    expect(await statusOf(at('2'))).toBe(404);
    expect(await statusOf(at('-1'))).toBe(422);
    const resolve = async (queue_run_id: string) =>
      who.resolveQueuedRun({ params: { queue_id, queue_run_id } });
    expect(await resolve(item)).toEqual({ section: 'completed', position: 0 });
    expect(await resolve(third)).toEqual({ section: 'needs_my_review', position: 1 });
    expect(await statusOf(resolve(uuidv7()))).toBe(404);
  });

  it('when something is added again later, then it is put off for all or for one reviewer', async () => {
    const { queue_id, run_ids } = await queues().makeQueue({}, 3);
    const [a, b] = [queues().reviewer(), queues().reviewer()];
    const [first = '', second = '', third = ''] = run_ids;
    const later = new Date(queues().clock.now_ms + 60_000).toISOString();
    const params = { queue_id, queue_run_id: first };
    expect(await a.patchQueuedRun({ params, body: { added_at: later } })).toMatchObject({
      added_at: `${later.slice(0, -1)}000`,
    });
    expect(await idsOf(a, queue_id)).toEqual([second, third, first]);
    const item_id = await entryOf(a, queue_id, second);
    const override_added_at = new Date(queues().clock.now_ms + 120_000).toISOString();
    await a.setQueueItemStatus({ params: { item_id }, body: { status: null, override_added_at } });
    expect(await idsOf(a, queue_id)).toEqual([third, first, second]);
    expect(await idsOf(b, queue_id)).toEqual([second, third, first]);
    expect(await statusOf(a.patchQueuedRun({ params, body: { added_at: 'soon' } }))).toBe(422);
  });

  it('when a queue is exported, then it tells what was said, and by whom only if asked to', async () => {
    const { params, queue_id, run_ids } = await queues().makeQueue({});
    const who = queues().reviewer();
    const [first = ''] = run_ids;
    await who.createFeedback({ body: { run_id: first, key: 'k', score: 1 } });
    await say(who, await entryOf(who, queue_id, first), 'completed');
    const plain = await who.exportAnnotationQueue({ params, body: {} });
    expect(plain).toMatchObject([{ id: first, outputs: { said: 1 }, feedback: [{ key: 'k', score: 1 }] }]);
    expect(JSON.stringify(plain)).not.toMatch(/user_id|completed_by/);
    const whole = await who.exportAnnotationQueue({ params, body: { include_annotator_detail: true } });
    expect(JSON.stringify(whole)).toMatch(/user_id.*|completed_by/);
    const late = { start_time: new Date(queues().clock.now_ms + 60_000).toISOString() };
    expect(await who.exportAnnotationQueue({ params, body: late })).toEqual([]);
  });
});
