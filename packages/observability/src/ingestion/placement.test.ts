import { uuidv7 } from '@roadstead/kit';
import { useFixture } from '@roadstead/testing';
import { describe, expect, it } from 'vitest';
import { OTHER_WORKSPACE, startFixture } from '../testing/observability-fixture.ts';
import { START, bytesClient, sentRoot, stamp } from '../testing/sent-runs.ts';

/** The places of runs that name none. */

const fixture = useFixture(startFixture);

const { json, read, statusOf } = bytesClient(() => fixture());

describe('placement', () => {
  const child = (id: string, parent_run_id: string, more: object = {}) => ({
    id,
    parent_run_id,
    name: 'child',
    run_type: 'tool',
    start_time: START,
    ...more,
  });

  it('when clients leave out where runs belong, then it is derived in any order of arrival', async () => {
    const [root, middle, leaf] = [uuidv7(), uuidv7(), uuidv7()];
    await json('/runs', child(leaf, middle));
    await json(`/runs/${middle}`, { outputs: { x: 1 } }, 'PATCH');
    await json('/runs', child(middle, root));
    expect(await read(leaf)).toMatchObject({ trace_id: middle });
    await json('/runs', {
      id: root,
      name: 'root',
      start_time: START,
      session_name: 'late',
      extra: { metadata: { thread_id: 't' } },
    });
    const order = `${stamp}${root}.${stamp}${middle}.${stamp}${leaf}`;
    const runs = await Promise.all([root, middle, leaf].map(read));
    expect(runs.map((run) => run['trace_id'])).toEqual([root, root, root]);
    expect(runs.map((run) => run['thread_id'])).toEqual(['t', 't', 't']);
    expect(new Set(runs.map((run) => run['session_id'])).size).toBe(1);
    expect(runs[2]?.['dotted_order']).toBe(order);
    expect(runs[2]?.['parent_run_ids']).toEqual([root, middle]);
    expect(runs[1]?.['outputs']).toEqual({ x: 1 });
    const left = await fixture().fresh.db.query('select from traces.strays where run_id = any ($1)', [
      [root, middle, leaf],
    ]);
    expect(left).toEqual([]);
    const traces = await fixture().fresh.db.query(
      'select trace_id, run_count from traces.traces where trace_id = any ($1)',
      [[root, middle, leaf]],
    );
    expect(traces).toEqual([{ trace_id: root, run_count: 3 }]);
  });

  it('when the project of a run is not there, then the run goes into the default one', async () => {
    const id = uuidv7();
    await json('/runs', { id, name: 'homeless', start_time: START, session_id: uuidv7() });
    const run = await read(id);
    const [session] = (await (await fixture().send('/sessions?name=default')).json()) as { id: string }[];
    expect(run['session_id']).toBe(session?.id);
  });

  it('when run ids of two workspaces are the same, then the runs are kept apart', async () => {
    const id = uuidv7();
    const send = (workspace_id: string, name: string) =>
      fixture().send('/runs', {
        method: 'POST',
        workspace_id,
        body: sentRoot(id, { name, inputs: { name } }),
      });
    await send(OTHER_WORKSPACE, 'theirs');
    expect(await statusOf(id)).toBe(404);
    await fixture().send('/runs', { method: 'POST', body: sentRoot(id, { name: 'ours' }) });
    expect(await read(id)).toMatchObject({ name: 'ours', inputs: {} });
    const theirs = await fixture().send(`/runs/${id}`, { workspace_id: OTHER_WORKSPACE });
    expect(await theirs.json()).toMatchObject({ name: 'theirs', inputs: { name: 'theirs' } });
  });
});
