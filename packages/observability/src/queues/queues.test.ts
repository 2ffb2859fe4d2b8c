import { statusOf, useFixture } from '@roadstead/testing';
import { Client } from 'langsmith';
import { describe, expect, it } from 'vitest';
import { uuidv7 } from '@roadstead/kit';
import { OTHER_WORKSPACE, WORKSPACE } from '../testing/observability-fixture.ts';
import { entryOf, idsOf, say, startQueueFixture } from '../testing/queue-fixture.ts';

const queues = useFixture(startQueueFixture);
const fixture = () => queues().fixture;

describe('annotation queues', () => {
  it('when a queue is made, then it is found and changed until it is deleted', async () => {
    const client = fixture().client();
    const body = {
      id: uuidv7(),
      name: 'Some 100% queue',
      description: 'd',
      rubric_instructions: 'look',
      rubric_items: [{ feedback_key: 'k', score_descriptions: { '0': 'bad' } }],
      metadata: { a: 1 },
    };
    const made = await client.createAnnotationQueue({ body });
    const { rubric_instructions, rubric_items, ...others } = body;
    expect(made).toMatchObject({
      ...others,
      tenant_id: WORKSPACE,
      queue_type: 'single',
      num_reviewers_per_item: 1,
      enable_reservations: true,
      reservation_minutes: 1,
      default_dataset: null,
      assigned_reviewers: [],
    });
    expect(made).not.toHaveProperty('rubric_instructions');
    const read = await client.readAnnotationQueue({ params: { queue_id: made.id } });
    expect(read).toEqual({ ...made, rubric_instructions, rubric_items });
    expect(await client.createAnnotationQueue({ body })).toEqual(made);
    expect(await statusOf(client.createAnnotationQueue({ body: { ...body, name: 'other' } }))).toBe(409);
    const params = { queue_id: made.id };
    const change = {
      description: null,
      rubric_instructions: 'again',
      metadata: null,
      num_reviewers_per_item: null,
    };
    expect(await client.patchAnnotationQueue({ params, body: change })).toMatchObject({
      name: body.name,
      description: 'd',
      rubric_instructions: 'again',
      rubric_items: body.rubric_items,
      metadata: null,
      num_reviewers_per_item: null,
    });
    const found = async (query: NonNullable<Parameters<typeof client.listAnnotationQueues>[0]['query']>) =>
      (await client.listAnnotationQueues({ query })).map((queue) => queue.id);
    expect(await found({ name: body.name })).toEqual([made.id]);
    expect(await found({ name_contains: '100% Q' })).toEqual([made.id]);
    expect(await found({ ids: [made.id], limit: '1', sort_by: 'name' })).toEqual([made.id]);
    expect(await found({ ids: [made.id], queue_type: 'pairwise' })).toEqual([]);
    expect(await found({ ids: [made.id], tag_value_id: uuidv7() })).toEqual([]);
    expect(await found({ ids: [made.id], assigned_to_me: 'true' })).toEqual([]);
    const stranger = fixture().client(OTHER_WORKSPACE);
    expect(await stranger.listAnnotationQueues({ query: { ids: [made.id] } })).toEqual([]);
    expect(await statusOf(stranger.readAnnotationQueue({ params }))).toBe(404);
    expect(await statusOf(stranger.deleteAnnotationQueue({ params }))).toBe(404);
    await client.deleteAnnotationQueue({ params });
    expect(await statusOf(client.readAnnotationQueue({ params }))).toBe(404);
    expect(await statusOf(client.patchAnnotationQueue({ params, body: {} }))).toBe(404);
    expect(await statusOf(client.deleteAnnotationQueue({ params }))).toBe(404);
    expect(await statusOf(client.countQueuedRuns({ params }))).toBe(404);
    expect(await statusOf(client.addRunsToQueue({ params, query: {}, body: [uuidv7()] }))).toBe(404);
  });

  it('when reviewers are asked something, then the queue keeps all of it', async () => {
    const client = fixture().client();
    const rule = { join: 'any', rules: [{ key: 'kind', op: 'is_one_of', values: [0, 1] }] } as const;
    const item = { feedback_key: 'why', regex_validator: '^because', required_if: rule, visible_if: rule };
    const { queue_id, params } = await queues().makeQueue({ rubric_items: [item] }, 0);
    expect(await client.readAnnotationQueue({ params })).toMatchObject({ rubric_items: [item] });
    const listed = async (include_rubric_keys: 'true' | 'false') =>
      (await client.listAnnotationQueues({ query: { ids: [queue_id], include_rubric_keys } }))[0]
        ?.rubric_keys;
    expect([await listed('true'), await listed('false')]).toEqual([['why'], null]);
  });

  it('when a member is made a reviewer, then the queue names them', async () => {
    const client = fixture().client();
    const { queue_id, params } = await queues().makeQueue({}, 1);
    const identity_id = WORKSPACE;
    const one = { queue_id, identity_id };
    expect(await statusOf(client.addQueueReviewer({ params, body: { identity_id: uuidv7() } }))).toBe(404);
    for (const _twice of [1, 2])
      expect(await client.addQueueReviewer({ params, body: { identity_id } })).toEqual({ identity_id });
    expect(await client.readQueueReviewer({ params: one })).toEqual({ identity_id });
    const assigned_reviewers = [{ id: identity_id, name: 'first', email: null }];
    expect(await client.readAnnotationQueue({ params })).toMatchObject({ assigned_reviewers });
    const mine = fixture().client(WORKSPACE, `key:${WORKSPACE}`);
    const found = await mine.listAnnotationQueues({ query: { ids: [queue_id], assigned_to_me: 'true' } });
    expect(found).toMatchObject([{ id: queue_id, assigned_reviewers }]);
    const { items } = await client.listQueueItems({ params, query: { status: 'needs_my_review' } });
    expect(items).toMatchObject([{ assigned_to: [identity_id] }]);
    for (const _twice of [1, 2]) await client.removeQueueReviewer({ params: one });
    expect(await statusOf(client.readQueueReviewer({ params: one }))).toBe(404);
    expect(await client.readAnnotationQueue({ params })).toMatchObject({ assigned_reviewers: [] });
  });

  it('when only those assigned review, then others see nothing, and all of them must finish', async () => {
    const { queue_id, params, run_ids } = await queues().makeQueue({ reviewer_access_mode: 'assigned' }, 1);
    const [one, two] = [uuidv7(), uuidv7()];
    const by = (id: string) => fixture().client(WORKSPACE, `key:${id}`);
    expect(await idsOf(by(uuidv7()), queue_id, { status: 'needs_my_review' })).toEqual(run_ids);
    await fixture().fresh.db.run(
      'update traces.annotation_queues set assigned_reviewers = $2 where id = $1',
      [queue_id, [one, two]],
    );
    const entry = await entryOf(by(one), queue_id, run_ids[0] ?? '');
    const waits = async (id: string) => (await idsOf(by(id), queue_id, { status: 'needs_my_review' })).length;
    expect([await waits(one), await waits(two), await waits(uuidv7())]).toEqual([1, 1, 0]);
    await say(by(one), entry, 'viewed');
    await say(by(uuidv7()), entry, 'completed');
    expect([await waits(one), await waits(two)]).toEqual([1, 1]);
    await say(by(one), entry, 'completed');
    expect([await waits(one), await waits(two)]).toEqual([0, 1]);
    await say(by(two), entry, 'completed');
    expect(await by(one).countFinishedQueuedRuns({ params, query: {} })).toEqual({ size: 1 });
  });

  it('when items are listed from and to an instant, then those count whose runs began then', async () => {
    const client = fixture().client();
    const { params } = await queues().makeQueue({}, 1);
    const count = async (query: object) =>
      (await client.listQueueItems({ params, query: { status: 'needs_my_review', ...query } })).items.length;
    expect(await count({ min_start_time: '2026-01-05T00:00:00Z' })).toBe(1);
    expect(await count({ min_start_time: '2026-01-05T00:00:01Z' })).toBe(0);
    expect(await count({ max_start_time: '2026-01-04T00:00:00Z' })).toBe(0);
    expect(await count({ max_start_time: '0001-01-01T00:00:00Z' })).toBe(1);
  });

  it('when queues are deleted together, then all of them are or none is', async () => {
    const [a, b] = [await queues().makeQueue({}, 1), await queues().makeQueue({}, 0)];
    const client = fixture().client();
    const remove = (...queue_ids: string[]) => client.deleteAnnotationQueues({ query: { queue_ids } });
    expect(await statusOf(remove(a.queue_id, uuidv7()))).toBe(404);
    expect(await client.countQueuedRuns({ params: a.params })).toEqual({ size: 1 });
    await remove(a.queue_id, b.queue_id);
    expect(await statusOf(client.readAnnotationQueue({ params: a.params }))).toBe(404);
  });

  it('when a queue names projects, then it begins with their runs', async () => {
    const run_id = await queues().ingestRun('populating');
    const session_ids = [await queues().projectId('populating')];
    const client = fixture().client();
    const { queue_id } = await queues().makeQueue({ session_ids }, 0);
    expect(await idsOf(client, queue_id)).toEqual([run_id]);
    await client.populateAnnotationQueue({ body: { queue_id, session_ids } });
    expect(await idsOf(client, queue_id)).toEqual([run_id]);
    const body = { queue_id, session_ids: [uuidv7()] };
    expect(await statusOf(client.populateAnnotationQueue({ body }))).toBe(404);
  });

  it('when the official client works with queues, then it is served', async () => {
    await using server = await fixture().listen();
    const client = new Client({ apiUrl: `${server.url}/api/v1`, apiKey: `key-${WORKSPACE}` });
    const queue = await client.createAnnotationQueue({ name: 'official', rubricInstructions: 'r' });
    expect((await client.readAnnotationQueue(queue.id)).rubric_instructions).toBe('r');
    const run_id = await queues().ingestRun();
    const run = await client.readRun(run_id);
    await client.addRunsToAnnotationQueue(queue.id, [run_id]);
    await client.addRunsToAnnotationQueue(queue.id, [
      { runId: run_id, sessionId: run.session_id ?? '', startTime: run.start_time ?? '' },
    ]);
    expect(await client.getRunFromAnnotationQueue(queue.id, 0)).toMatchObject({
      id: run_id,
      inputs: { asked: run_id },
      outputs: { said: 1 },
    });
    await expect(client.getRunFromAnnotationQueue(queue.id, 1)).rejects.toThrow(/404/);
    expect(await client.getSizeFromAnnotationQueue(queue.id)).toEqual({ size: 1 });
    await client.deleteRunFromAnnotationQueue(queue.id, run_id);
    expect(await client.getSizeFromAnnotationQueue(queue.id)).toEqual({ size: 0 });
    await client.deleteAnnotationQueue(queue.id);
  });
});
