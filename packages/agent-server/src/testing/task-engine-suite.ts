import { describe, expect, test } from 'vitest';
import type { Owner } from '../tasks/task-engine.ts';
import { isSettled } from '../tasks/task.ts';
import { cancelling } from './suite-cancelling.ts';
import { listing } from './suite-listing.ts';
import { streaming } from './suite-streaming.ts';
import {
  type Open,
  answer,
  ended,
  message,
  never,
  ownerOf,
  settledAfter,
  statusText,
  textsOf,
} from './suite-support.ts';
/**
 * What the A2A endpoint relies on: the same tests for the real task engine and for the one in memory.
 *
 * An opened engine serves six graphs, each with a channel `messages`:
 * - `echo` answers `Echo: {text}` as one artifact, in two chunks or more where the task is streamed;
 * - `memory` answers every text that the person said in this thread, this one last, joined by ` | `;
 * - `ask` interrupts with the text `What is your name?`, again when the answer is `again`, then says `Hello, {answer}!`;
 * - `form` interrupts with `{question: 'Which?', options: ['a', 'b']}`, then answers the JSON of what came back;
 * - `gate` waits until `release()` has been called, then answers `Opened`;
 * - `fail` throws an error.
 */
export function taskEngineSuite(name: string, open: Open): void {
  describe(`task engine: ${name}`, () => {
    beginning(open);
    repeating(open);
    resuming(open);
    cancelling(open);
    reading(open);
    listing(open);
    streaming(open);
  });
}

function beginning(open: Open): void {
  test('when a task begins, then it is committed at once, and ends with its answer', async () => {
    await using opened = await open();
    const { engine } = opened;
    const owner = ownerOf(engine, 'echo');
    const begun = await engine.begin(owner, message('hi'));
    expect(['submitted', 'working']).toContain(begun.status.state);
    expect(begun).toMatchObject({ assistant_id: owner.assistant_id, artifacts: [] });
    expect(begun.history.map((one) => one.role)).toEqual(['user']);
    const task = await engine.settled(begun.id, never);
    expect([task.id, task.context_id, task.status.state]).toEqual([begun.id, begun.context_id, 'completed']);
    expect(textsOf(task)).toEqual(['Echo: hi']);
    expect(statusText(task)).toBe('Echo: hi');
    expect(task.seq).toBeGreaterThan(begun.seq);
    expect(task.status.at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(await engine.task(owner, begun.id)).toEqual(task);
  });

  test('when a message names a context, then it goes on in the one that its principal has', async () => {
    await using opened = await open();
    const { engine } = opened;
    const owner = ownerOf(engine, 'memory');
    const other = { ...owner, principal: 'workspace:other' };
    const say = async (whose: Owner, text: string, context_id?: string) =>
      ended(engine, await engine.begin(whose, message(text, { context_id })));
    const first = await say(owner, 'one');
    const apart = await say(owner, 'two');
    expect(apart.context_id).not.toBe(first.context_id);
    expect(textsOf(await say(owner, 'three', first.context_id))).toEqual(['one | three']);
    expect(textsOf(await say(owner, 'a', 'my own / id'))).toEqual(['a']);
    expect(textsOf(await say(owner, 'b', 'my own / id'))).toEqual(['a | b']);
    expect(textsOf(await say(other, 'c', 'my own / id'))).toEqual(['c']);
  });

  test('when a context is busy, then a message waits for its turn', async () => {
    await using opened = await open();
    const { engine, release } = opened;
    const owner = ownerOf(engine, 'gate');
    const first = await engine.begin(owner, message('one', { context_id: 'busy' }));
    const second = await engine.begin(owner, message('two', { context_id: 'busy' }));
    expect(second.id).not.toBe(first.id);
    expect(second.status.state).toBe('submitted');
    release();
    const [one, two] = [await engine.settled(first.id, never), await engine.settled(second.id, never)];
    expect([one.status.state, two.status.state]).toEqual(['completed', 'completed']);
    expect(one.status.at <= two.status.at).toBe(true);
  });

  test('when a graph throws, then its task fails with a sentence', async () => {
    await using opened = await open();
    const { engine } = opened;
    const task = await ended(engine, await engine.begin(ownerOf(engine, 'fail'), message('hi')));
    expect(task.status.state).toBe('failed');
    expect(statusText(task)).toMatch(/\w+ \w+/);
  });
}

function repeating(open: Open): void {
  test('when the same message comes again, then it is its task; another principal’s is another', async () => {
    await using opened = await open();
    const { engine } = opened;
    const owner = ownerOf(engine, 'echo');
    const request = message('hi');
    const [one, two] = await Promise.all([engine.begin(owner, request), engine.begin(owner, request)]);
    expect(two.id).toBe(one.id);
    const ended = await engine.settled(one.id, never);
    expect(await engine.begin(owner, request)).toEqual(ended);
    expect((await engine.begin({ ...owner, principal: 'workspace:other' }, request)).id).not.toBe(one.id);
  });

  test('when an id of a message or an answer is taken, then nothing else may have it', async () => {
    await using opened = await open();
    const { engine } = opened;
    const owner = ownerOf(engine, 'ask');
    const refused = { kind: 'invalid' };
    const request = message('hi');
    const other = { ...request, digest: 'another', context_id: 'elsewhere' };
    const tried = await Promise.allSettled([engine.begin(owner, request), engine.begin(owner, other)]);
    expect(tried.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    await expect(engine.begin(owner, { ...request, digest: 'a third' })).rejects.toMatchObject(refused);
    const asking = await ended(engine, await engine.begin(owner, message('hi')));
    const reply = answer(asking, 'again');
    await expect(
      engine.resume(owner, {
        ...reply,
        message: { ...reply.message, message_id: request.message.message_id },
      }),
    ).rejects.toMatchObject(refused);
    expect((await engine.task(owner, asking.id))?.status.state).toBe('input-required');
    await engine.resume(owner, reply);
    await expect(engine.begin(owner, { ...message('x'), message: reply.message })).rejects.toMatchObject(
      refused,
    );
    const asked = await settledAfter(engine, asking);
    await expect(
      engine.resume(owner, { ...answer(asked, 'Ada'), message: reply.message }),
    ).rejects.toMatchObject(refused);
    expect(await engine.resume(owner, answer(asked, 'Ada'))).toBeDefined();
  });
}

function resuming(open: Open): void {
  test('when an interrupt asks, then an answer goes on, as the same task', async () => {
    await using opened = await open();
    const { engine } = opened;
    const owner = ownerOf(engine, 'ask');
    const begun = await engine.begin(owner, message('hi'));
    const asking = await engine.settled(begun.id, never);
    expect(asking.status.state).toBe('input-required');
    expect(statusText(asking)).toBe('What is your name?');
    expect(asking.status.message?.metadata).toEqual({ interrupt_id: expect.stringMatching(/./) });
    expect(asking.history.at(-1)).toEqual(asking.status.message);
    const reply = answer(asking, 'Ada');
    const resumed = await engine.resume(owner, reply);
    expect(resumed?.id).toBe(begun.id);
    expect(resumed?.seq).toBeGreaterThan(asking.seq);
    expect(resumed && isSettled(resumed.status.state)).toBe(false);
    const task = await engine.settled(begun.id, never);
    expect(textsOf(task)).toEqual(['Hello, Ada!']);
    const users = task.history.filter((one) => one.role === 'user');
    expect(users.map((one) => one.message_id)).toEqual([
      begun.history[0]?.message_id,
      reply.message.message_id,
    ]);
  });

  test('when a question is no text, then it is asked and answered as data', async () => {
    await using opened = await open();
    const { engine } = opened;
    const owner = ownerOf(engine, 'form');
    const asking = await ended(engine, await engine.begin(owner, message('hi')));
    expect(asking.status.message?.parts).toMatchObject([
      { kind: 'data', data: { question: 'Which?', options: ['a', 'b'] } },
    ]);
    await engine.resume(owner, { ...answer(asking, ''), value: { choice: ['a'] } });
    expect(textsOf(await engine.settled(asking.id, never))).toEqual(['{"choice":["a"]}']);
  });

  test('when several answer, then only one is taken, from the owner, to the question that was seen', async () => {
    await using opened = await open();
    const { engine } = opened;
    const owner = ownerOf(engine, 'ask');
    const first = await ended(engine, await engine.begin(owner, message('hi')));
    expect(
      await engine.resume({ ...owner, principal: 'workspace:other' }, answer(first, 'Eve')),
    ).toBeUndefined();
    const both = await Promise.all([
      engine.resume(owner, answer(first, 'again')),
      engine.resume(owner, answer(first, 'again')),
    ]);
    expect(both.filter((task) => task !== undefined)).toHaveLength(1);
    const second = await engine.settled(first.id, never);
    expect(second.status.state).toBe('input-required');
    expect(await engine.resume(owner, answer(first, 'late'))).toBeUndefined();
    expect(await engine.resume(owner, answer(second, 'Ada'))).toBeDefined();
    const task = await engine.settled(first.id, never);
    expect(textsOf(task)).toEqual(['Hello, Ada!']);
    expect(await engine.resume(owner, answer(task, 'too late'))).toBeUndefined();
  });
}

function reading(open: Open): void {
  test('when an assistant is named, then its own id and its graph’s find it', async () => {
    await using opened = await open();
    const { engine } = opened;
    const echo = await engine.assistant('echo');
    expect(echo?.graph.graph_id).toBe('echo');
    expect(await engine.assistant(echo?.assistant_id ?? '')).toEqual(echo);
    expect(engine.assistants().map(({ graph }) => graph)).toContainEqual(echo?.graph);
    expect(await engine.assistant('nobody')).toBeUndefined();
  });

  test.for(['00000000-0000-4000-8000-000000000000', 'no uuid', "o'; drop table tasks --", 'ü'.repeat(256)])(
    'when a task does not exist, then none is found (%#)',
    async (task_id) => {
      await using opened = await open();
      const { engine } = opened;
      expect(await engine.task(ownerOf(engine, 'echo'), task_id)).toBeUndefined();
    },
  );

  test('when another principal or assistant asks for a task, then it has none', async () => {
    await using opened = await open();
    const { engine } = opened;
    const owner = ownerOf(engine, 'echo');
    const { id } = await engine.begin(owner, message('hi'));
    expect(await engine.task({ ...owner, principal: 'workspace:other' }, id)).toBeUndefined();
    expect(await engine.task(ownerOf(engine, 'memory'), id)).toBeUndefined();
    expect((await engine.task(owner, id))?.id).toBe(id);
  });

  test('when nobody waits any more, then waiting ends, and the task goes on', async () => {
    await using opened = await open();
    const { engine, release } = opened;
    const owner = ownerOf(engine, 'gate');
    const { id } = await engine.begin(owner, message('hi'));
    const gone = new AbortController();
    const waiting = engine.settled(id, gone.signal).catch(() => undefined);
    gone.abort();
    await waiting;
    release();
    expect(textsOf(await engine.settled(id, never))).toEqual(['Opened']);
  });
}
