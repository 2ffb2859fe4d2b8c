import { createHash } from 'node:crypto';
import { uuidv7 } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { eventually, useFixture } from '@roadstead/testing';
import { expect, it } from 'vitest';
import { multipartInit, OTHER_WORKSPACE, startFixture, WORKSPACE } from '../testing/observability-fixture.ts';
import { beginDeletion, removeSomeDeleted } from './deletion-work.ts';

const fixture = useFixture(startFixture);

interface SentTrace {
  readonly root: string;
  readonly child: string;
  readonly session_id: string;
}

async function send(
  project: string,
  metadata: object = {},
  given: Partial<SentTrace> = {},
): Promise<SentTrace> {
  const { root = uuidv7(), child = uuidv7() } = given;
  const run = {
    trace_id: root,
    session_name: project,
    run_type: 'chain',
    start_time: new Date().toISOString(),
  };
  const parts = [
    [
      `post.${root}`,
      JSON.stringify({
        ...run,
        id: root,
        dotted_order: `x${root}`,
        name: 'root',
        extra: { metadata: { thread_id: project } },
      }),
    ],
    [
      `post.${child}`,
      JSON.stringify({
        ...run,
        id: child,
        parent_run_id: root,
        dotted_order: `x${root}.y${child}`,
        name: 'child',
        extra: { metadata },
      }),
    ],
    [`attachment.${child}.file`, `bytes of ${child}`, 'Content-Type: text/plain'],
    [
      `feedback.${uuidv7()}`,
      JSON.stringify({ id: uuidv7(), run_id: child, trace_id: root, key: 'good', score: 1 }),
    ],
  ] as const;
  const answer = await fixture().send('/runs/multipart', multipartInit(parts));
  expect([answer.status, await answer.text()]).toEqual([202, expect.anything()]);
  const [session] = await fixture()
    .client()
    .listSessions({ query: { name: project } });
  return { root, child, session_id: session?.id ?? '' };
}

const client = () => fixture().client();
const runsOf = async (session_id: string) =>
  (await client().queryRuns({ body: { session: [session_id], select: ['id'] } })).runs.map(({ id }) => id);
const runCount = async (session_id: string) =>
  (await client().readSession({ params: { session_id }, query: { include_stats: 'true' } })).run_count;
const statusOf = async (path: string) => (await fixture().send(path)).status;
const finished = async (deletion_id: string) =>
  eventually(async () => {
    const deletion = await client().readDeletion({ params: { deletion_id } });
    expect(deletion.status).toBe('completed');
    return deletion;
  });

/** Rows anywhere that name one of the runs or the trace. */
async function leftOf({ root, child }: SentTrace): Promise<Record<string, number>> {
  const left: Record<string, number> = {};
  for (const [table, column] of [
    ['runs', 'trace_id'],
    ['traces', 'trace_id'],
    ['search', 'trace_id'],
    ['payloads', 'run_id'],
    ['attachments', 'run_id'],
    ['feedback', 'run_id'],
    ['shares', 'subject_id'],
  ] as const) {
    const { n } = await fixture().fresh.db.one<{ n: number }>(
      `select count(*) as n from traces.${table} where ${column} = any ($1::uuid[])`,
      [[root, child]],
    );
    if (n > 0) left[table] = n;
  }
  return left;
}

const hasFile = async ({ child }: SentTrace) =>
  fixture().blobs.has(`sha256:${createHash('sha256').update(`bytes of ${child}`).digest('hex')}`);

it('when traces are deleted, then no reader sees them, and all that they were is removed', async () => {
  const kept = await send('deleting');
  const gone = await send('deleting');
  await client().shareRun({ params: { run_id: gone.root } });
  const { session_id } = gone;
  expect(await runCount(session_id)).toBe(2);
  const begun = await client().deleteRuns({ body: { session_id, trace_ids: [gone.root, uuidv7()] } });
  expect(begun).toMatchObject({ traces: 1 });
  expect(new Set(await runsOf(session_id))).toEqual(new Set([kept.root, kept.child]));
  expect(await statusOf(`/runs/${gone.child}`)).toBe(404);
  expect(await statusOf(`/v2/traces/${gone.root}/runs?project_id=${session_id}`)).toBe(404);
  const turns = await client().listThreadTraces({
    params: { thread_id: 'deleting' },
    query: { project_id: session_id },
  });
  expect(turns.items.map((turn) => turn.trace_id)).toEqual([kept.root]);
  expect(await runCount(session_id)).toBe(1);
  const done = await finished(begun.id);
  expect(done).toMatchObject({
    remaining_traces: 0,
    removed: { traces: 1, runs: 2, attachments: 1, feedback: 1 },
  });
  expect(await leftOf(gone)).toEqual({});
  expect([await hasFile(gone), await hasFile(kept)]).toEqual([false, true]);
  expect(await leftOf(kept)).toMatchObject({ runs: 2, payloads: 2, attachments: 1, feedback: 1 });
});

it('when traces are deleted by metadata, then any of their runs counts, in all projects', async () => {
  const [ada, list, bob] = [
    await send('people', { user: 'ada' }),
    await send('others', { user: ['eve', 'ada'] }),
    await send('people', { user: 'bob', nested: { level: 3 } }),
  ];
  const foreign = await fixture()
    .client(OTHER_WORKSPACE)
    .deleteTraces({ body: { metadata: { user: 'ada' } } });
  expect(foreign).toMatchObject({ traces: 0, status: 'completed' });
  const begun = await client().deleteTraces({
    body: { metadata: { user: ['ada', 'nobody'], colour: 'red' } },
  });
  expect(begun.traces).toBe(2);
  await finished(begun.id);
  expect([await leftOf(ada), await leftOf(list)]).toEqual([{}, {}]);
  expect(await runsOf(bob.session_id)).toHaveLength(2);
  expect((await client().deleteTraces({ body: { metadata: { 'nested.level': 3 } } })).traces).toBe(1);
});

it('when a trace is sent again while it is being deleted, then what came again is kept', async () => {
  const { db } = fixture().fresh;
  const sent = await send('again', { part: 'old' });
  const { session_id } = sent;
  // Leaves the state of a process that ends before it removes anything.
  const scope = { by: 'ids', session_id, trace_ids: [sent.root] } as const;
  const deletion_id = await beginDeletion(db, { workspace_id: WORKSPACE, scope });
  expect(await runsOf(session_id)).toEqual([]);
  const patch = {
    id: sent.root,
    trace_id: sent.root,
    dotted_order: `x${sent.root}`,
    end_time: new Date().toISOString(),
  };
  await fixture().send(`/runs/${sent.root}`, {
    method: 'PATCH',
    body: JSON.stringify({ ...patch, session_name: 'again' }),
  });
  expect(await runsOf(session_id)).toEqual([sent.root]);
  expect(await removeSomeDeleted(db)).toBe(false);
  expect(await finished(deletion_id)).toMatchObject({ removed: { traces: 1, runs: 2 } });
  expect(await runCount(session_id)).toBe(1);
  expect(await leftOf(sent)).toEqual({ runs: 1, traces: 1, search: 1 });
});

it('when a removal is ended midway, then each of its steps counts wholly or not at all', async () => {
  const { db } = fixture().fresh;
  const sent = [await send('ended'), await send('ended')];
  const session_id = sent[0]?.session_id ?? '';
  const scope = { by: 'ids', session_id, trace_ids: sent.map(({ root }) => root) } as const;
  const deletion_id = await beginDeletion(db, { workspace_id: WORKSPACE, scope });
  // Behaves like a process that is killed before the step is committed.
  const killed: Database = {
    ...db,
    transaction: (work) =>
      db.transaction(async (tx) => {
        await work(tx);
        throw new Error('killed');
      }),
  };
  await expect(removeSomeDeleted(killed)).rejects.toThrow('killed');
  const before = await client().readDeletion({ params: { deletion_id } });
  expect(before).toMatchObject({ status: 'running', remaining_traces: 2, removed: { runs: 0 } });
  expect(await runsOf(session_id)).toEqual([]);
  // Two at once share the work, and count nothing twice.
  while ((await Promise.all([removeSomeDeleted(db), removeSomeDeleted(db)])).some(Boolean));
  expect(await finished(deletion_id)).toMatchObject({ removed: { traces: 2, runs: 4, feedback: 2 } });
  expect(await leftOf(sent[0] as SentTrace)).toEqual({});
});

it.each<[object, number]>([
  [{}, 422],
  [{ session_id: uuidv7() }, 422],
  [{ session_id: uuidv7(), trace_ids: [uuidv7()] }, 404],
  [{ trace_ids: [uuidv7()], metadata: { a: 'b' } }, 422],
  [{ metadata: {} }, 422],
  [{ session_id: uuidv7(), trace_ids: Array.from({ length: 1001 }, () => uuidv7()) }, 422],
])('when a deletion is asked for by %j, then it is refused with %i', async (body, status) => {
  const answer = await fixture().send('/runs/delete', { method: 'POST', body: JSON.stringify(body) });
  expect(answer.status).toBe(status);
});
