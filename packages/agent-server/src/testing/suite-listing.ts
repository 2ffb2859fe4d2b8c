import { expect, test } from 'vitest';
import type { TaskQuery } from '../tasks/task-engine.ts';
import { type Task } from '../tasks/task.ts';
import { type Open, answer, ended, message, never, ownerOf, settledAfter } from './suite-support.ts';

/** The part of the task engine suite about pages of tasks. */
export function listing(open: Open): void {
  const all = { limit: 100, with_artifacts: true, with_history: true };

  test('when an owner lists tasks, then they come page by page, the newest status first', async () => {
    await using opened = await open();
    const { engine } = opened;
    const owner = ownerOf(engine, 'echo');
    expect(await engine.list(owner, all)).toEqual({ tasks: [], total: 0, has_more: false });
    const ids: string[] = [];
    for (const text of ['a', 'b', 'c', 'd', 'e'])
      ids.push((await ended(engine, await engine.begin(owner, message(text)))).id);
    await ended(engine, await engine.begin({ ...owner, principal: 'workspace:other' }, message('x')));
    await ended(engine, await engine.begin(ownerOf(engine, 'memory'), message('x')));
    const whole = await engine.list(owner, all);
    const places = whole.tasks.map(({ status }) => status.at);
    expect(places).toEqual(places.toSorted().toReversed());
    expect(new Set(whole.tasks.map(({ id }) => id))).toEqual(new Set(ids));
    expect([whole.total, whole.has_more]).toEqual([5, false]);
    for (const task of whole.tasks) expect(task).toEqual(await engine.task(owner, task.id));
    const paged: Task[] = [];
    for (let after: TaskQuery['after'], more = true; more;) {
      const page = await engine.list(owner, { ...all, limit: 2, after });
      expect(page.total).toBe(5);
      paged.push(...page.tasks);
      more = page.has_more;
      const last = page.tasks.at(-1);
      after = last && { at: last.status.at, task_id: last.id };
    }
    expect(paged).toEqual(whole.tasks);
  });

  test('when earlier tasks of a context are asked for, then the newest come first, as they fit', async () => {
    await using opened = await open();
    const { engine } = opened;
    const owner = ownerOf(engine, 'echo');
    const ids: string[] = [];
    for (const text of ['a', 'b', 'c', 'd'])
      ids.push((await ended(engine, await engine.begin(owner, message(text, { context_id: 'one' })))).id);
    await ended(engine, await engine.begin(owner, message('x', { context_id: 'two' })));
    const [a, b, c, d = ''] = ids;
    const earlier = async (max_length: number, whose = owner) => {
      const { tasks, has_more } = await engine.earlier(whose, { context_id: 'one', before: d, max_length });
      for (const task of tasks) expect(task).toEqual(await engine.task(owner, task.id));
      return [tasks.map(({ id }) => id), has_more];
    };
    expect(await earlier(1_000_000)).toEqual([[c, b, a], false]);
    expect(await earlier(1)).toEqual([[c], true]);
    expect(await earlier(1_000_000, { ...owner, principal: 'workspace:other' })).toEqual([[], false]);
  });

  test('when an owner may not see a task’s thread, then the task is as good as none', async () => {
    await using opened = await open();
    const { engine } = opened;
    const owner = ownerOf(engine, 'ask');
    const request = message('hi', { context_id: 'one' });
    const task = await ended(
      engine,
      await engine.begin({ ...owner, thread_metadata: { team: 'red' } }, request),
    );
    const [seen, unseen] = [
      { ...owner, within: { team: 'red' } },
      { ...owner, within: { team: 'blue' } },
    ];
    expect(await engine.task(seen, task.id)).toEqual(task);
    expect((await engine.list(seen, all)).tasks).toEqual([task]);
    expect(await engine.begin(seen, request)).toEqual(task);
    expect(await engine.task(unseen, task.id)).toBeUndefined();
    expect(await engine.list(unseen, all)).toEqual({ tasks: [], total: 0, has_more: false });
    expect(await engine.resume(unseen, answer(task, 'Ada'))).toBeUndefined();
    expect(await engine.cancel(unseen, task.id, never)).toBeUndefined();
    for (const again of [request, message('hi', { context_id: 'one' })])
      await expect(engine.begin(unseen, again)).rejects.toMatchObject({ kind: 'invalid' });
    expect(await engine.task(owner, task.id)).toEqual(task);
  });

  test('when a list asks for a context, a state or a time, then it holds that and no more', async () => {
    await using opened = await open();
    const { engine } = opened;
    const owner = ownerOf(engine, 'ask');
    const asking = await ended(engine, await engine.begin(owner, message('hi', { context_id: 'one' })));
    const other = await ended(engine, await engine.begin(owner, message('hi', { context_id: 'two' })));
    await engine.resume(owner, answer(other, 'Ada'));
    const done = await settledAfter(engine, other);
    const list = async (query: Partial<TaskQuery>) =>
      (await engine.list(owner, { ...all, ...query })).tasks.map(({ id }) => id);
    expect(await list({ context_id: 'one' })).toEqual([asking.id]);
    expect(await list({ context_id: 'none' })).toEqual([]);
    expect(await list({ state: 'input-required' })).toEqual([asking.id]);
    expect(await list({ state: 'completed' })).toEqual([done.id]);
    expect(await list({ state: 'failed' })).toEqual([]);
    expect(await list({ state: 'completed', context_id: 'one' })).toEqual([]);
    expect(await list({ since: done.status.at })).toContain(done.id);
    expect((await list({ since: asking.status.at })).toSorted()).toEqual([asking.id, done.id].toSorted());
    expect(await list({ since: new Date(Date.parse(done.status.at) + 1).toISOString() })).toEqual([]);
    const bare = await engine.list(owner, { ...all, with_artifacts: false, with_history: false });
    expect(bare.tasks.map(({ history, artifacts }) => [history, artifacts])).toEqual([
      [[], []],
      [[], []],
    ]);
    expect((await engine.list(owner, { ...all, state: 'completed' })).total).toBe(1);
  });
}
