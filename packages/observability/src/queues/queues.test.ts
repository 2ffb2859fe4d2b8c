import { Client } from 'langsmith';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { uuidv7 } from '@roadstead/kit';
import { type Fixture, OTHER_WORKSPACE, startFixture, WORKSPACE } from '../testing/observability-fixture.ts';

let fixture: Fixture;
/** Of the fixture and whoever tests: what the clock of the service says. */
let now_ms = Date.now();
beforeAll(async () => {
  fixture = await startFixture({ clock: { now: () => now_ms } });
});
afterAll(() => fixture[Symbol.asyncDispose]());

const status = async (promise: Promise<unknown>): Promise<number> =>
  promise.then(
    () => 200,
    (error: unknown) => (error as { status: number }).status,
  );
const reviewer = () => fixture.client(WORKSPACE, `key:${uuidv7()}`);
type Reviewer = ReturnType<typeof reviewer>;

async function ingestRun(project = 'queued', thread?: string): Promise<string> {
  const id = uuidv7();
  const run = {
    id,
    trace_id: id,
    dotted_order: `20260105T000000000000Z${id}`,
    name: `run ${id}`,
    run_type: 'chain',
    start_time: '2026-01-05T00:00:00Z',
    session_name: project,
    inputs: { asked: id },
    outputs: { said: 1 },
    ...(thread === undefined ? {} : { extra: { metadata: { thread_id: thread } } }),
  };
  const sent = await fixture.send('/runs', { method: 'POST', body: JSON.stringify(run) });
  expect(sent.status).toBe(202);
  return id;
}
const projectId = async (name: string) =>
  (await fixture.client().listSessions({ query: { name } }))[0]?.id ?? '';

/** A queue with some runs in it. */
async function makeQueue(fields: object = {}, runs = 2) {
  const { id: queue_id } = await fixture.client().createAnnotationQueue({ body: { name: 'q', ...fields } });
  const run_ids: string[] = [];
  for (let count = 0; count < runs; count += 1) run_ids.push(await ingestRun());
  if (runs > 0) await fixture.client().addRunsToQueue({ params: { queue_id }, query: {}, body: run_ids });
  return { queue_id, params: { queue_id }, run_ids };
}
const idsOf = async (who: Reviewer, queue_id: string, query = {}) =>
  (await who.listQueuedRuns({ params: { queue_id }, query })).map((run) => run.id);
const entryOf = async (who: Reviewer, queue_id: string, run_id: string) => {
  const runs = await who.listQueuedRuns({ params: { queue_id }, query: {} });
  return runs.find((run) => run.id === run_id)?.queue_run_id ?? '';
};
const say = async (who: Reviewer, item_id: string, said: 'viewed' | 'completed' | null) =>
  who.setQueueItemStatus({ params: { item_id }, body: { status: said } });

describe('annotation queues', () => {
  it('are made, found, changed and deleted', async () => {
    const client = fixture.client();
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
    expect(await status(client.createAnnotationQueue({ body: { ...body, name: 'other' } }))).toBe(409);
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
    const stranger = fixture.client(OTHER_WORKSPACE);
    expect(await stranger.listAnnotationQueues({ query: { ids: [made.id] } })).toEqual([]);
    expect(await status(stranger.readAnnotationQueue({ params }))).toBe(404);
    expect(await status(stranger.deleteAnnotationQueue({ params }))).toBe(404);
    await client.deleteAnnotationQueue({ params });
    expect(await status(client.readAnnotationQueue({ params }))).toBe(404);
    expect(await status(client.patchAnnotationQueue({ params, body: {} }))).toBe(404);
    expect(await status(client.deleteAnnotationQueue({ params }))).toBe(404);
    expect(await status(client.countQueuedRuns({ params }))).toBe(404);
    expect(await status(client.addRunsToQueue({ params, query: {}, body: [uuidv7()] }))).toBe(404);
  });

  it('keep all that reviewers are asked', async () => {
    const client = fixture.client();
    const rule = { join: 'any', rules: [{ key: 'kind', op: 'is_one_of', values: [0, 1] }] } as const;
    const item = { feedback_key: 'why', regex_validator: '^because', required_if: rule, visible_if: rule };
    const { queue_id, params } = await makeQueue({ rubric_items: [item] }, 0);
    expect(await client.readAnnotationQueue({ params })).toMatchObject({ rubric_items: [item] });
    const listed = async (include_rubric_keys: 'true' | 'false') =>
      (await client.listAnnotationQueues({ query: { ids: [queue_id], include_rubric_keys } }))[0]
        ?.rubric_keys;
    expect([await listed('true'), await listed('false')]).toEqual([['why'], null]);
  });

  it('have reviewers, who are members and are told by name', async () => {
    const client = fixture.client();
    const { queue_id, params } = await makeQueue({}, 1);
    const identity_id = WORKSPACE;
    const one = { queue_id, identity_id };
    expect(await status(client.addQueueReviewer({ params, body: { identity_id: uuidv7() } }))).toBe(404);
    for (const _twice of [1, 2])
      expect(await client.addQueueReviewer({ params, body: { identity_id } })).toEqual({ identity_id });
    expect(await client.readQueueReviewer({ params: one })).toEqual({ identity_id });
    const assigned_reviewers = [{ id: identity_id, name: 'first', email: null }];
    expect(await client.readAnnotationQueue({ params })).toMatchObject({ assigned_reviewers });
    const mine = fixture.client(WORKSPACE, `key:${WORKSPACE}`);
    const found = await mine.listAnnotationQueues({ query: { ids: [queue_id], assigned_to_me: 'true' } });
    expect(found).toMatchObject([{ id: queue_id, assigned_reviewers }]);
    const { items } = await client.listQueueItems({ params, query: { status: 'needs_my_review' } });
    expect(items).toMatchObject([{ assigned_to: [identity_id] }]);
    for (const _twice of [1, 2]) await client.removeQueueReviewer({ params: one });
    expect(await status(client.readQueueReviewer({ params: one }))).toBe(404);
    expect(await client.readAnnotationQueue({ params })).toMatchObject({ assigned_reviewers: [] });
  });

  it('that only those who are assigned review are hidden from others, and done when all of them are', async () => {
    const { queue_id, params, run_ids } = await makeQueue({ reviewer_access_mode: 'assigned' }, 1);
    const [one, two] = [uuidv7(), uuidv7()];
    const by = (id: string) => fixture.client(WORKSPACE, `key:${id}`);
    expect(await idsOf(by(uuidv7()), queue_id, { status: 'needs_my_review' })).toEqual(run_ids);
    await fixture.fresh.db.run('update traces.annotation_queues set assigned_reviewers = $2 where id = $1', [
      queue_id,
      [one, two],
    ]);
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

  it('are listed by when their runs began', async () => {
    const client = fixture.client();
    const { params } = await makeQueue({}, 1);
    const count = async (query: object) =>
      (await client.listQueueItems({ params, query: { status: 'needs_my_review', ...query } })).items.length;
    expect(await count({ min_start_time: '2026-01-05T00:00:00Z' })).toBe(1);
    expect(await count({ min_start_time: '2026-01-05T00:00:01Z' })).toBe(0);
    expect(await count({ max_start_time: '2026-01-04T00:00:00Z' })).toBe(0);
    expect(await count({ max_start_time: '0001-01-01T00:00:00Z' })).toBe(1);
  });

  it('are deleted together, or none of them', async () => {
    const [a, b] = [await makeQueue({}, 1), await makeQueue({}, 0)];
    const client = fixture.client();
    const remove = (...queue_ids: string[]) => client.deleteAnnotationQueues({ query: { queue_ids } });
    expect(await status(remove(a.queue_id, uuidv7()))).toBe(404);
    expect(await client.countQueuedRuns({ params: a.params })).toEqual({ size: 1 });
    await remove(a.queue_id, b.queue_id);
    expect(await status(client.readAnnotationQueue({ params: a.params }))).toBe(404);
  });

  it('begin with the runs of projects where these are named', async () => {
    const run_id = await ingestRun('populating');
    const session_ids = [await projectId('populating')];
    const client = fixture.client();
    const { queue_id } = await makeQueue({ session_ids }, 0);
    expect(await idsOf(client, queue_id)).toEqual([run_id]);
    await client.populateAnnotationQueue({ body: { queue_id, session_ids } });
    expect(await idsOf(client, queue_id)).toEqual([run_id]);
    const body = { queue_id, session_ids: [uuidv7()] };
    expect(await status(client.populateAnnotationQueue({ body }))).toBe(404);
  });

  it('serve the official client', async () => {
    await using server = await fixture.listen();
    const client = new Client({ apiUrl: `${server.url}/api/v1`, apiKey: `key-${WORKSPACE}` });
    const queue = await client.createAnnotationQueue({ name: 'official', rubricInstructions: 'r' });
    expect((await client.readAnnotationQueue(queue.id)).rubric_instructions).toBe('r');
    const run_id = await ingestRun();
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

describe('the runs of an annotation queue', () => {
  it('wait in the order in which they were added, each once, with what the queue knows of them', async () => {
    const { params, queue_id, run_ids } = await makeQueue({}, 3);
    const client = fixture.client();
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

  it('must all be there, in the project that is named', async () => {
    const { params, queue_id } = await makeQueue({}, 0);
    const run_id = await ingestRun();
    const client = fixture.client();
    expect(await status(client.addRunsToQueue({ params, query: {}, body: [run_id, uuidv7()] }))).toBe(404);
    const key = { run_id, session_id: uuidv7(), start_time: '2026-01-05T00:00:00Z' };
    expect(await status(client.addKeyedRunsToQueue({ params, query: {}, body: [key] }))).toBe(404);
    const odd = { ...key, session_id: await projectId('queued'), start_time: 'noon' };
    expect(await status(client.addKeyedRunsToQueue({ params, query: {}, body: [odd] }))).toBe(422);
    expect(await idsOf(client, queue_id)).toEqual([]);
  });

  it('are taken out one by one, several, and all but some', async () => {
    const { params, queue_id, run_ids } = await makeQueue({}, 4);
    const client = fixture.client();
    const [a = '', b = '', c = ''] = run_ids;
    const queue_run_id = await entryOf(client, queue_id, b);
    await client.removeRunFromQueue({ params: { queue_id, queue_run_id: a } });
    await client.removeRunFromQueue({ params: { queue_id, queue_run_id } });
    expect(await status(client.removeRunFromQueue({ params: { queue_id, queue_run_id } }))).toBe(404);
    expect(await status(client.removeRunsFromQueue({ params, body: {} }))).toBe(400);
    await client.removeRunsFromQueue({ params, body: { delete_all: true, exclude_run_ids: [c] } });
    expect(await idsOf(client, queue_id)).toEqual([c]);
    await client.removeRunsFromQueue({ params, body: { run_ids: [c] } });
    expect(await idsOf(client, queue_id)).toEqual([]);
  });

  it('leave it when their trace or project is deleted', async () => {
    const { params, queue_id, run_ids } = await makeQueue({}, 2);
    const other = await ingestRun('queued and deleted');
    now_ms += 1000;
    const client = fixture.client();
    await client.addRunsToQueue({ params, query: {}, body: [other] });
    const [first = '', second = ''] = run_ids;
    const session_id = await projectId('queued');
    await client.deleteRuns({ body: { session_id, trace_ids: [first] } });
    expect(await idsOf(client, queue_id)).toEqual([second, other]);
    expect(await client.countOpenQueuedRuns({ params, query: {} })).toEqual({ size: 2 });
    await client.deleteSession({ params: { session_id: await projectId('queued and deleted') } });
    expect(await client.countQueuedRuns({ params })).toEqual({ size: 1 });
  });
});

describe('reviewing', () => {
  it('moves a run from one reviewer to the next, and to the completed ones when enough are done', async () => {
    const { params, queue_id, run_ids } = await makeQueue({ num_reviewers_per_item: 2 });
    const [a, b] = [reviewer(), reviewer()];
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
    const query = { start_time: new Date(now_ms + 1000).toISOString() };
    expect(await a.countFinishedQueuedRuns({ params, query })).toEqual({ size: 0 });
    expect(await a.countQueuedRuns({ params })).toEqual({ size: 2 });
    expect(await say(a, item, null)).toMatchObject({ is_archived: false });
    expect(await section(a, 'needs_my_review')).toEqual([first, second]);
  });

  it('hides what another has reserved, until the reservation is over', async () => {
    const { queue_id, run_ids } = await makeQueue({ reservation_minutes: 5 });
    const [a, b] = [reviewer(), reviewer()];
    const [first = '', second = ''] = run_ids;
    const item = await entryOf(a, queue_id, first);
    const mine = async (who: Reviewer) => idsOf(who, queue_id, { status: 'needs_my_review' });
    await say(a, item, 'viewed');
    expect(await mine(b)).toEqual([second]);
    now_ms += 1000;
    await say(b, item, 'viewed');
    now_ms += 1000;
    await say(a, item, 'viewed');
    expect(await mine(a)).toEqual([first, second]);
    expect(await mine(b)).toEqual([second]);
    now_ms += 6 * 60_000;
    expect(await mine(b)).toEqual([first, second]);
    await say(b, item, 'viewed');
    expect(await mine(a)).toEqual([second]);
  });

  it('reserves nothing where the queue says so', async () => {
    const { queue_id, run_ids } = await makeQueue({ enable_reservations: false });
    const [a, b] = [reviewer(), reviewer()];
    await say(a, await entryOf(a, queue_id, run_ids[0] ?? ''), 'viewed');
    expect(await idsOf(b, queue_id, { status: 'needs_my_review' })).toEqual(run_ids);
  });

  it('by many at once completes a run by exactly as many as it takes', async () => {
    const { params, queue_id, run_ids } = await makeQueue({ num_reviewers_per_item: 3 }, 1);
    const reviewers = Array.from({ length: 4 }, reviewer);
    const item = await entryOf(reviewer(), queue_id, run_ids[0] ?? '');
    const answers = await Promise.all(reviewers.map((who) => say(who, item, 'completed')));
    expect(answers.filter((answer) => answer.is_archived)).toHaveLength(2);
    const [run] = await reviewer().listQueuedRuns({ params, query: { status: 'completed' } });
    expect(run?.completed_by).toHaveLength(4);
  });

  it('reads by place what waits for the caller, and finds where an entry stands', async () => {
    const { queue_id, run_ids } = await makeQueue({}, 3);
    const who = reviewer();
    const [first = '', second = '', third = ''] = run_ids;
    const item = await entryOf(who, queue_id, first);
    const at = async (index: string) =>
      (await who.readQueuedRunAt({ params: { queue_id, index }, query: {} })).id;
    expect(await at('0')).toBe(first);
    await who.setQueuedRunStatus({ params: { queue_run_id: item }, body: { status: 'completed' } });
    expect(await at('0')).toBe(second);
    expect(await status(at('2'))).toBe(404);
    expect(await status(at('-1'))).toBe(422);
    const resolve = async (queue_run_id: string) =>
      who.resolveQueuedRun({ params: { queue_id, queue_run_id } });
    expect(await resolve(item)).toEqual({ section: 'completed', position: 0 });
    expect(await resolve(third)).toEqual({ section: 'needs_my_review', position: 1 });
    expect(await status(resolve(uuidv7()))).toBe(404);
  });

  it('puts off what is added again later, for all or for one reviewer', async () => {
    const { queue_id, run_ids } = await makeQueue({}, 3);
    const [a, b] = [reviewer(), reviewer()];
    const [first = '', second = '', third = ''] = run_ids;
    const later = new Date(now_ms + 60_000).toISOString();
    const params = { queue_id, queue_run_id: first };
    expect(await a.patchQueuedRun({ params, body: { added_at: later } })).toMatchObject({
      added_at: `${later.slice(0, -1)}000`,
    });
    expect(await idsOf(a, queue_id)).toEqual([second, third, first]);
    const item_id = await entryOf(a, queue_id, second);
    const override_added_at = new Date(now_ms + 120_000).toISOString();
    await a.setQueueItemStatus({ params: { item_id }, body: { status: null, override_added_at } });
    expect(await idsOf(a, queue_id)).toEqual([third, first, second]);
    expect(await idsOf(b, queue_id)).toEqual([second, third, first]);
    expect(await status(a.patchQueuedRun({ params, body: { added_at: 'soon' } }))).toBe(422);
  });

  it('is exported with what was said, and who said it only when that is asked for', async () => {
    const { params, queue_id, run_ids } = await makeQueue({});
    const who = reviewer();
    const [first = ''] = run_ids;
    await who.createFeedback({ body: { run_id: first, key: 'k', score: 1 } });
    await say(who, await entryOf(who, queue_id, first), 'completed');
    const plain = await who.exportAnnotationQueue({ params, body: {} });
    expect(plain).toMatchObject([{ id: first, outputs: { said: 1 }, feedback: [{ key: 'k', score: 1 }] }]);
    expect(JSON.stringify(plain)).not.toMatch(/user_id|completed_by/);
    const whole = await who.exportAnnotationQueue({ params, body: { include_annotator_detail: true } });
    expect(JSON.stringify(whole)).toMatch(/user_id.*|completed_by/);
    const late = { start_time: new Date(now_ms + 60_000).toISOString() };
    expect(await who.exportAnnotationQueue({ params, body: late })).toEqual([]);
  });
});

describe('items of runs and threads', () => {
  it('are listed by cursor in both directions, and threads are kept from older clients', async () => {
    const { params, queue_id, run_ids } = await makeQueue({}, 3);
    const who = reviewer();
    const thread_id = 'a thread';
    await ingestRun('with threads', thread_id);
    const project_id = await projectId('with threads');
    const thread = { item_type: 'THREAD' as const, thread_id, project_id };
    now_ms += 1000;
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
    expect(await status(list({ direction: 'backward' }))).toBe(422);
    expect(await status(list({ cursor: 'x' }))).toBe(422);
    const last_reviewed_time = new Date(now_ms).toISOString();
    const patched = await who.patchQueueItem({
      params: { queue_id, item_id },
      body: { last_reviewed_time, added_at: null },
    });
    expect(Date.parse(patched.last_reviewed_time ?? '')).toBe(now_ms);
    await who.removeQueueItems({ params, body: { item_ids: [item_id] } });
    expect(await who.countQueueItems({ params, query: count })).toEqual({ count: 3 });
  });

  it.each([
    ['items.0.run_id', { item_type: 'RUN' }, 422],
    ['items.0.thread_id', { item_type: 'THREAD', project_id: uuidv7() }, 422],
    ['items.0.project_id', { item_type: 'THREAD', thread_id: 't' }, 422],
    ['project', { item_type: 'THREAD', thread_id: 't', project_id: uuidv7() }, 404],
    ['runs', { item_type: 'RUN', run_id: uuidv7() }, 404],
  ])('names %s where it is missing', async (name, item, expected) => {
    const { queue_id } = await makeQueue({}, 0);
    const answer = await fixture.send(`/v1/platform/annotation-queues/${queue_id}/items`, {
      method: 'POST',
      body: JSON.stringify({ items: [item] }),
    });
    const text = await answer.text();
    expect([answer.status, text]).toEqual([expected, expect.anything()]);
    for (const part of name.split('.')) expect(text).toContain(part);
  });
});
