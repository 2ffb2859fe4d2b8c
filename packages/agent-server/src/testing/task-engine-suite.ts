import { describe, expect, test } from 'vitest';
import type { BeginTask, Owner, ResumeTask, TaskEngine } from '../tasks/task-engine.ts';
import { isSettled, type Task, type TaskEvent } from '../tasks/task.ts';

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
export interface OpenedEngine extends AsyncDisposable {
  readonly engine: TaskEngine;
  readonly release: () => void;
}

export function taskEngineSuite(name: string, open: () => Promise<OpenedEngine>): void {
  describe(`task engine: ${name}`, () => {
    beginning(open);
    repeating(open);
    resuming(open);
    reading(open);
    streaming(open);
  });
}

type Open = () => Promise<OpenedEngine>;
const never = new AbortController().signal;

function beginning(open: Open): void {
  test('a task is committed at once and ends with its answer, in artifacts and in its status', async () => {
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

  test('contexts: a new one each without an id, the same conversation with one, none shared by principals', async () => {
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

  test('a message in a busy context waits for its turn', async () => {
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

  test('a graph that throws is a failed task with a sentence', async () => {
    await using opened = await open();
    const { engine } = opened;
    const task = await ended(engine, await engine.begin(ownerOf(engine, 'fail'), message('hi')));
    expect(task.status.state).toBe('failed');
    expect(statusText(task)).toMatch(/\w+ \w+/);
  });
}

function repeating(open: Open): void {
  test('the same message again is its task, also at the same moment; another of its id is refused', async () => {
    await using opened = await open();
    const { engine } = opened;
    const owner = ownerOf(engine, 'echo');
    const request = message('hi');
    const [one, two] = await Promise.all([engine.begin(owner, request), engine.begin(owner, request)]);
    expect(two.id).toBe(one.id);
    await engine.settled(one.id, never);
    expect((await engine.begin(owner, request)).id).toBe(one.id);
    await expect(engine.begin(owner, { ...request, digest: 'another' })).rejects.toThrow(/messageId/);
    expect((await engine.begin({ ...owner, principal: 'workspace:other' }, request)).id).not.toBe(one.id);
  });
}

function resuming(open: Open): void {
  test('an interrupt asks and an answer goes on, as the same task', async () => {
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

  test('a value that is no text is asked and answered as data', async () => {
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

  test('only one answer is taken, only from its owner, only to the question that was seen', async () => {
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
  test('assistants go by assistant id and by graph id', async () => {
    await using opened = await open();
    const { engine } = opened;
    const echo = engine.assistant('echo');
    expect(echo?.graph.graph_id).toBe('echo');
    expect(engine.assistant(echo?.assistant_id ?? '')).toEqual(echo);
    expect(engine.assistants()).toContainEqual(echo);
    expect(engine.assistant('nobody')).toBeUndefined();
  });

  test.for(['00000000-0000-4000-8000-000000000000', 'no uuid', "o'; drop table tasks --", 'ü'.repeat(256)])(
    'there is no such task (%#)',
    async (task_id) => {
      await using opened = await open();
      const { engine } = opened;
      expect(await engine.task(ownerOf(engine, 'echo'), task_id)).toBeUndefined();
    },
  );

  test('a task is its owner’s: neither another principal nor another assistant has it', async () => {
    await using opened = await open();
    const { engine } = opened;
    const owner = ownerOf(engine, 'echo');
    const { id } = await engine.begin(owner, message('hi'));
    expect(await engine.task({ ...owner, principal: 'workspace:other' }, id)).toBeUndefined();
    expect(await engine.task(ownerOf(engine, 'memory'), id)).toBeUndefined();
    expect((await engine.task(owner, id))?.id).toBe(id);
  });

  test('waiting ends when nobody waits any more, and the task goes on', async () => {
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

function streaming(open: Open): void {
  test('the events after a snapshot lead to the last snapshot, from every point on', async () => {
    await using opened = await open();
    const { engine } = opened;
    const owner = ownerOf(engine, 'echo');
    const begun = await engine.begin(owner, message('hello there', { stream: true }));
    const events = await Array.fromAsync(engine.events(begun.id, begun.seq, never));
    const task = await engine.settled(begun.id, never);
    expect(shown(events.reduce(applied, begun))).toEqual(shown(task));
    expect(events.map((event) => event.seq)).toEqual(
      events.map((event) => event.seq).toSorted((a, b) => a - b),
    );
    expect(new Set(events.map((event) => event.seq)).size).toBe(events.length);
    expect(events.at(-1)).toMatchObject({ kind: 'status', status: { state: 'completed' } });
    expect(events.filter(settles)).toHaveLength(1);
    for (const { seq } of events.slice(0, -1)) {
      const later = await Array.fromAsync(engine.events(begun.id, seq, never));
      expect(later).toEqual(events.filter((event) => event.seq > seq));
    }
  });

  test('a stream ends where the task asks, and another goes on from the answer', async () => {
    await using opened = await open();
    const { engine } = opened;
    const owner = ownerOf(engine, 'ask');
    const begun = await engine.begin(owner, message('hi', { stream: true }));
    const before = await Array.fromAsync(engine.events(begun.id, begun.seq, never));
    expect(before.at(-1)).toMatchObject({ kind: 'status', status: { state: 'input-required' } });
    const asking = await engine.settled(begun.id, never);
    const resumed = await engine.resume(owner, { ...answer(asking, 'Ada'), stream: true });
    if (resumed === undefined) throw new Error('the answer was not taken');
    const after = await Array.fromAsync(engine.events(begun.id, resumed.seq, never));
    expect(shown(after.reduce(applied, resumed))).toEqual(shown(await engine.settled(begun.id, never)));
  });

  test('a stream ends when its reader has gone', async () => {
    await using opened = await open();
    const { engine } = opened;
    const { id, seq } = await engine.begin(ownerOf(engine, 'gate'), message('hi', { stream: true }));
    const gone = new AbortController();
    const events = engine.events(id, seq, gone.signal)[Symbol.asyncIterator]();
    expect((await events.next()).value).toMatchObject({ status: { state: 'working' } });
    const next = events.next();
    gone.abort();
    expect((await next).done).toBe(true);
  });
}

function ownerOf(engine: TaskEngine, graph_id: string): Owner {
  const assistant = engine.assistant(graph_id);
  if (assistant === undefined) throw new Error(`the engine serves no graph ${graph_id}`);
  return { principal: 'workspace:suite', assistant_id: assistant.assistant_id };
}

let messages = 0;

function message(
  text: string,
  {
    context_id,
    stream = false,
  }: { readonly context_id?: string | undefined; readonly stream?: boolean } = {},
): BeginTask {
  messages += 1;
  const message_id = `message-${messages}`;
  return {
    context_id,
    digest: `digest-${messages}`,
    message: { message_id, role: 'user', parts: [{ kind: 'text', text }] },
    input: { messages: [{ role: 'user', content: text, id: message_id }] },
    stream,
    tracing_thread_id: undefined,
    metadata: {},
  };
}

function answer(task: Task, text: string): ResumeTask {
  return {
    task_id: task.id,
    seen_seq: task.seq,
    message: message(text).message,
    value: text,
    stream: false,
    tracing_thread_id: undefined,
  };
}

const ended = (engine: TaskEngine, task: Task): Promise<Task> => engine.settled(task.id, never);
const settles = (event: TaskEvent) => event.kind === 'status' && isSettled(event.status.state);
const shown = ({ status, artifacts, seq }: Task) => ({ status, artifacts: artifacts.map(joined), seq });

const textOfParts = (parts: Task['artifacts'][number]['parts']) =>
  parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
const textsOf = (task: Task) => task.artifacts.map((artifact) => textOfParts(artifact.parts));
const statusText = (task: Task) => textOfParts(task.status.message?.parts ?? []);
/** However many text parts an artifact came in, it says one text. */
const joined = ({ artifact_id, parts }: Task['artifacts'][number]) => [artifact_id, textOfParts(parts)];

/** What a client makes of an event. */
function applied(task: Task, event: TaskEvent): Task {
  if (event.kind === 'status') return { ...task, seq: event.seq, status: event.status };
  const { artifact, append } = event;
  const at = task.artifacts.findIndex((one) => one.artifact_id === artifact.artifact_id);
  const known = task.artifacts[at];
  const whole = append && known ? { ...known, parts: [...known.parts, ...artifact.parts] } : artifact;
  const artifacts = known === undefined ? [...task.artifacts, whole] : task.artifacts.with(at, whole);
  return { ...task, seq: event.seq, artifacts };
}
