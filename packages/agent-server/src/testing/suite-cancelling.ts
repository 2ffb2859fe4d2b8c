import { expect, test } from 'vitest';
import { type Open, answer, ended, message, never, ownerOf, statusText, until } from './suite-support.ts';

/** The part of the task engine suite about cancelling tasks. */
export function cancelling(open: Open): void {
  test('when a working task is canceled, then it ends, and what waited behind it goes on', async () => {
    await using opened = await open();
    const { engine, release } = opened;
    const owner = ownerOf(engine, 'gate');
    const first = await engine.begin(owner, message('one', { context_id: 'busy', stream: true }));
    const next = await engine.begin(owner, message('two', { context_id: 'busy' }));
    await until(
      engine.events(first.id, first.seq, { signal: never }),
      ({ status }) => status?.state === 'working',
    );
    const events = Array.fromAsync(engine.events(first.id, first.seq, { signal: never }));
    const both = await Promise.all([
      engine.cancel(owner, first.id, never),
      engine.cancel(owner, first.id, never),
    ]);
    expect(both.map((task) => task?.status.state)).toEqual(['canceled', 'canceled']);
    expect((await events).at(-1)).toMatchObject({ kind: 'status', status: { state: 'canceled' } });
    expect(await engine.task(owner, first.id)).toEqual(both[0]);
    release();
    expect((await engine.settled(next.id, never)).status.state).toBe('completed');
    expect(await engine.task(owner, first.id)).toEqual(both[0]);
  });

  test('when a task is canceled that waits for its turn, then the one before it goes on', async () => {
    await using opened = await open();
    const { engine, release } = opened;
    const owner = ownerOf(engine, 'gate');
    const first = await engine.begin(owner, message('one', { context_id: 'busy' }));
    const second = await engine.begin(owner, message('two', { context_id: 'busy' }));
    const third = await engine.begin(owner, message('three', { context_id: 'busy' }));
    expect((await engine.cancel(owner, second.id, never))?.status.state).toBe('canceled');
    expect((await engine.settled(second.id, never)).status.state).toBe('canceled');
    release();
    const states = [await engine.settled(first.id, never), await engine.settled(third.id, never)];
    expect(states.map(({ status }) => status.state)).toEqual(['completed', 'completed']);
  });

  test('when a task that asks is canceled, then no answer is taken, and its context goes on', async () => {
    await using opened = await open();
    const { engine } = opened;
    const owner = ownerOf(engine, 'ask');
    const asking = await ended(engine, await engine.begin(owner, message('hi', { context_id: 'asked' })));
    const canceled = await engine.cancel(owner, asking.id, never);
    expect(canceled?.status.state).toBe('canceled');
    expect(canceled?.seq).toBeGreaterThan(asking.seq);
    expect(await engine.resume(owner, answer(asking, 'Ada'))).toBeUndefined();
    const again = await ended(engine, await engine.begin(owner, message('hi', { context_id: 'asked' })));
    expect([again.status.state, statusText(again)]).toEqual(['input-required', 'What is your name?']);
    expect(await engine.task(owner, asking.id)).toEqual(canceled);
  });

  test('when a task that has ended is canceled, then it stays as it is; another’s is not there', async () => {
    await using opened = await open();
    const { engine } = opened;
    const owner = ownerOf(engine, 'echo');
    const task = await ended(engine, await engine.begin(owner, message('hi')));
    expect(await engine.cancel(owner, task.id, never)).toEqual(task);
    const asked = ownerOf(engine, 'ask');
    const asking = await ended(engine, await engine.begin(asked, message('hi')));
    expect(await engine.cancel({ ...asked, principal: 'workspace:other' }, asking.id, never)).toBeUndefined();
    expect(await engine.cancel(owner, asking.id, never)).toBeUndefined();
    expect(await engine.cancel(owner, 'no uuid', never)).toBeUndefined();
    expect((await engine.task(asked, asking.id))?.status.state).toBe('input-required');
  });
}
