import { expect, test } from 'vitest';
import { applyEvent } from '../tasks/task-replay.ts';
import { isSettled, type Task, type TaskEvent } from '../tasks/task.ts';
import { type Open, answer, message, never, ownerOf, settledAfter, settles, shown } from './suite-support.ts';

/** The part of the task engine suite about events. */
export function streaming(open: Open): void {
  test('when a stream begins at any point, then its events lead to the last snapshot', async () => {
    await using opened = await open();
    const { engine } = opened;
    const owner = ownerOf(engine, 'echo');
    const begun = await engine.begin(owner, message('hello there', { stream: true }));
    const events = await Array.fromAsync(engine.events(begun.id, begun.seq, { signal: never }));
    const task = await engine.settled(begun.id, never);
    expect(shown(events.reduce(applyEvent, begun))).toEqual(shown(task));
    expect(events.map((event) => event.seq)).toEqual(
      events.map((event) => event.seq).toSorted((a, b) => a - b),
    );
    expect(new Set(events.map((event) => event.seq)).size).toBe(events.length);
    expect(events.at(-1)).toMatchObject({ kind: 'status', status: { state: 'completed' } });
    expect(events.filter(settles)).toHaveLength(1);
    for (const { seq } of events.slice(0, -1)) {
      const later = await Array.fromAsync(engine.events(begun.id, seq, { signal: never }));
      expect(later).toEqual(events.filter((event) => event.seq > seq));
    }
  });

  test('when a task asks, then its stream goes on past the question, for early and late readers', async () => {
    await using opened = await open();
    const { engine } = opened;
    const owner = ownerOf(engine, 'ask');
    const begun = await engine.begin(owner, message('hi', { stream: true }));
    const early = Array.fromAsync(engine.events(begun.id, begun.seq, { signal: never }));
    const asking = await engine.settled(begun.id, never);
    const late = Array.fromAsync(engine.events(begun.id, asking.seq, { signal: never }));
    const resumed = await engine.resume(owner, { ...answer(asking, 'Ada'), stream: true });
    if (resumed === undefined) throw new Error('the answer was not taken');
    const after = await Array.fromAsync(engine.events(begun.id, resumed.seq, { signal: never }));
    const task = await engine.settled(begun.id, never);
    expect(shown(after.reduce(applyEvent, resumed))).toEqual(shown(task));
    const whole = await early;
    expect(shown(whole.reduce(applyEvent, begun))).toEqual(shown(task));
    const states = whole.flatMap((event) => (event.kind === 'status' ? [event.status.state] : []));
    expect(states).toContain('input-required');
    expect(states.slice(states.indexOf('input-required') + 1)).toContain('working');
    expect(await late).toEqual(whole.filter(({ seq }) => seq > asking.seq));
  });

  test('when a reader rests at the question until the task has ended, then it gets the answer', async () => {
    await using opened = await open();
    const { engine } = opened;
    const owner = ownerOf(engine, 'ask');
    const begun = await engine.begin(owner, message('hi', { stream: true }));
    const reader = engine.events(begun.id, begun.seq, { signal: never })[Symbol.asyncIterator]();
    const events: TaskEvent[] = [];
    while (!events.some(settles)) events.push((await reader.next()).value);
    const asking = await engine.settled(begun.id, never);
    await engine.resume(owner, { ...answer(asking, 'Ada'), stream: true });
    const task = await settledAfter(engine, asking);
    for (let next = await reader.next(); next.done !== true; next = await reader.next())
      events.push(next.value);
    expect(shown(events.reduce(applyEvent, begun))).toEqual(shown(task));
  });

  test('when a task is read at any moment, then the events after it lead to the same end', async () => {
    await using opened = await open();
    const { engine } = opened;
    const owner = ownerOf(engine, 'echo');
    const begun = await engine.begin(owner, message('word '.repeat(200), { stream: true }));
    const read = new Map([[begun.seq, begun]]);
    for (let task: Task | undefined = begun; task !== undefined && !isSettled(task.status.state);) {
      read.set(task.seq, task);
      // Lets the engine go on: a macrotask, not a delay.
      await new Promise((resolve) => setImmediate(resolve));
      task = await engine.task(owner, begun.id);
    }
    const end = await engine.settled(begun.id, never);
    for (const task of read.values()) {
      const events = await Array.fromAsync(engine.events(begun.id, task.seq, { signal: never }));
      expect(shown(events.reduce(applyEvent, task))).toEqual(shown(end));
    }
  });

  test('when its reader has gone, then a stream ends', async () => {
    await using opened = await open();
    const { engine } = opened;
    const { id, seq } = await engine.begin(ownerOf(engine, 'gate'), message('hi', { stream: true }));
    const gone = new AbortController();
    const events = engine.events(id, seq, { signal: gone.signal })[Symbol.asyncIterator]();
    expect((await events.next()).value).toMatchObject({ status: { state: 'working' } });
    const next = events.next();
    gone.abort();
    expect((await next).done).toBe(true);
  });
}
