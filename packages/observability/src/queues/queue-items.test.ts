import { statusOf, useFixture } from '@roadstead/testing';
import { describe, expect, it } from 'vitest';
import { uuidv7 } from '@roadstead/kit';
import { entryOf, idsOf, startQueueFixture } from '../testing/queue-fixture.ts';

const queues = useFixture(startQueueFixture);
const fixture = () => queues().fixture;

describe('the runs of an annotation queue', () => {
  it('when runs are added to a queue, then each waits once, in order, with what is known of it', async () => {
    const { params, queue_id, run_ids } = await queues().makeQueue({}, 3);
    const client = fixture().client();
    await client.addRunsToQueue({ params, query: {}, body: run_ids.toReversed() });
    expect(await idsOf(client, queue_id)).toEqual(run_ids);
    expect(await idsOf(client, queue_id, { limit: '1', offset: '1' })).toEqual(run_ids.slice(1, 2));
    const [first] = await client.listQueuedRuns({ params, query: {} });
    expect(first).toMatchObject({
      last_reviewed_time: null,
      source_proposed_example_id: null,
      reserved_by: [],
      completed_by: [],
    });
    expect(first?.effective_added_at).toBe(first?.added_at);
    expect(await client.countQueuedRuns({ params })).toEqual({ size: 3 });
    expect(await client.listAnnotationQueues({ query: { ids: [queue_id] } })).toMatchObject([
      { total_runs: 3 },
    ]);
    expect(await client.listQueuesOfRun({ params: { run_id: run_ids[0] ?? '' } })).toMatchObject([
      { id: queue_id },
    ]);
  });

  it('when a run is not there or not in the project that is named, then none is added', async () => {
    const { params, queue_id } = await queues().makeQueue({}, 0);
    const run_id = await queues().ingestRun();
    const client = fixture().client();
    expect(await statusOf(client.addRunsToQueue({ params, query: {}, body: [run_id, uuidv7()] }))).toBe(404);
    const key = { run_id, session_id: uuidv7(), start_time: '2026-01-05T00:00:00Z' };
    expect(await statusOf(client.addKeyedRunsToQueue({ params, query: {}, body: [key] }))).toBe(404);
    const odd = { ...key, session_id: await queues().projectId('queued'), start_time: 'noon' };
    expect(await statusOf(client.addKeyedRunsToQueue({ params, query: {}, body: [odd] }))).toBe(422);
    expect(await idsOf(client, queue_id)).toEqual([]);
  });

  it('when runs are taken out of a queue, then one, several, or all but some go', async () => {
    const { params, queue_id, run_ids } = await queues().makeQueue({}, 4);
    const client = fixture().client();
    const [a = '', b = '', c = ''] = run_ids;
    const queue_run_id = await entryOf(client, queue_id, b);
    await client.removeRunFromQueue({ params: { queue_id, queue_run_id: a } });
    await client.removeRunFromQueue({ params: { queue_id, queue_run_id } });
    expect(await statusOf(client.removeRunFromQueue({ params: { queue_id, queue_run_id } }))).toBe(404);
    expect(await statusOf(client.removeRunsFromQueue({ params, body: {} }))).toBe(400);
    await client.removeRunsFromQueue({ params, body: { delete_all: true, exclude_run_ids: [c] } });
    expect(await idsOf(client, queue_id)).toEqual([c]);
    await client.removeRunsFromQueue({ params, body: { run_ids: [c] } });
    expect(await idsOf(client, queue_id)).toEqual([]);
  });

  it('when their trace or project is deleted, then runs leave the queue', async () => {
    const { params, queue_id, run_ids } = await queues().makeQueue({}, 2);
    const other = await queues().ingestRun('queued and deleted');
    queues().clock.now_ms += 1000;
    const client = fixture().client();
    await client.addRunsToQueue({ params, query: {}, body: [other] });
    const [first = '', second = ''] = run_ids;
    const session_id = await queues().projectId('queued');
    await client.deleteRuns({ body: { session_id, trace_ids: [first] } });
    expect(await idsOf(client, queue_id)).toEqual([second, other]);
    expect(await client.countOpenQueuedRuns({ params, query: {} })).toEqual({ size: 2 });
    await client.deleteSession({ params: { session_id: await queues().projectId('queued and deleted') } });
    expect(await client.countQueuedRuns({ params })).toEqual({ size: 1 });
  });
});

describe('items of runs and threads', () => {
  it('when items are listed, then it is by cursor both ways, and older clients see no threads', async () => {
    const { params, queue_id, run_ids } = await queues().makeQueue({}, 3);
    const who = queues().reviewer();
    const thread_id = 'a thread';
    await queues().ingestRun('with threads', thread_id);
    const project_id = await queues().projectId('with threads');
    const thread = { item_type: 'THREAD' as const, thread_id, project_id };
    queues().clock.now_ms += 1000;
    const { items } = await who.addQueueItems({ params, query: {}, body: { items: [thread] } });
    expect(items).toMatchObject([{ ...thread, queue_id, run_id: null }]);
    expect(await idsOf(who, queue_id)).toEqual(run_ids);
    expect(await who.countQueuedRuns({ params })).toEqual({ size: 3 });
    const count = { status: 'needs_my_review' as const };
    expect(await who.countQueueItems({ params, query: count })).toEqual({ count: 4 });
    const list = async (query: object) =>
      who.listQueueItems({ params, query: { status: 'needs_my_review', page_size: '2', ...query } });
    const page = await list({});
    expect(page.items.map((item) => item.run_id)).toEqual(run_ids.slice(0, 2));
    const next = await list({ cursor: page.next_cursor });
    expect(next.items.map((item) => item.run_id ?? item.thread_id)).toEqual([run_ids[2], thread_id]);
    expect(next.next_cursor).toBeNull();
    const item_id = next.items[1]?.id ?? '';
    const placement = await who.readQueueItemPlacement({ params: { queue_id, item_id } });
    expect(placement).toMatchObject({ section: 'needs_my_review', position: 3, item_type: 'THREAD' });
    expect((await list({ cursor: placement.cursor })).items.map((item) => item.id)).toEqual([item_id]);
    const back = await list({ cursor: placement.cursor, direction: 'backward' });
    expect(back.items.map((item) => item.run_id)).toEqual(run_ids.slice(0, 2));
    expect((await list({ item_type: 'THREAD' })).items).toHaveLength(1);
    expect(await statusOf(list({ direction: 'backward' }))).toBe(422);
    expect(await statusOf(list({ cursor: 'x' }))).toBe(422);
    const last_reviewed_time = new Date(queues().clock.now_ms).toISOString();
    const patched = await who.patchQueueItem({
      params: { queue_id, item_id },
      body: { last_reviewed_time, added_at: null },
    });
    expect(Date.parse(patched.last_reviewed_time ?? '')).toBe(queues().clock.now_ms);
    await who.removeQueueItems({ params, body: { item_ids: [item_id] } });
    expect(await who.countQueueItems({ params, query: count })).toEqual({ count: 3 });
  });

  it.each([
    ['items.0.run_id', { item_type: 'RUN' }, 422],
    ['items.0.thread_id', { item_type: 'THREAD', project_id: uuidv7() }, 422],
    ['items.0.project_id', { item_type: 'THREAD', thread_id: 't' }, 422],
    ['project', { item_type: 'THREAD', thread_id: 't', project_id: uuidv7() }, 404],
    ['runs', { item_type: 'RUN', run_id: uuidv7() }, 404],
  ])('when an item lacks %s, then the refusal names it', async (name, item, expected) => {
    const { queue_id } = await queues().makeQueue({}, 0);
    const answer = await fixture().send(`/v1/platform/annotation-queues/${queue_id}/items`, {
      method: 'POST',
      body: JSON.stringify({ items: [item] }),
    });
    const text = await answer.text();
    expect([answer.status, text]).toEqual([expected, expect.anything()]);
    for (const part of name.split('.')) expect(text).toContain(part);
  });
});
