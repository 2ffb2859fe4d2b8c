import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import type { HostEvent } from '@roadstead/contracts/host';
import { errorOf, HostUnderTest, texts } from './testing/host-process.ts';

const agents = fileURLToPath(new URL('../fixtures/agents', import.meta.url));
const human = (text: string) => ({ messages: [{ role: 'user', content: text }] });
const roles = (events: readonly HostEvent[]) =>
  events.map((event) => (event.kind === 'message' ? event.message.role : event.kind));

const isAnswer = (event: HostEvent) => event.kind === 'message' && event.message.role === 'assistant';

/** One process for all tests but those that end it; each test has its own thread. */
const host = useFixture(() => new HostUnderTest(agents));

test('when a conversation goes on, then it does so in the same process and in the next one', async () => {
  await using first = new HostUnderTest(agents);
  const { engine } = first;
  expect(texts((await first.run({ thread_id: 't', input: human('one') })).events)).toEqual(['1: one']);
  expect(engine.heard.filter((call) => call.startsWith('ask'))).toEqual([]);
  expect(engine.heard.at(-1)).toBe('tell done');
  expect(texts((await first.run({ thread_id: 't', input: human('two') })).events)).toEqual(['2: two']);
  await using second = new HostUnderTest(agents, { engine });
  const { outcome, events } = await second.run({ thread_id: 't', input: human('three') });
  expect(texts(events)).toEqual(['3: three']);
  expect(outcome).toMatchObject({ outcome: 'success', interrupts: [] });
});

test('when a graph calls a tool and repeats its history, then each message is reported once', async () => {
  const { events } = await host().run({ thread_id: randomUUID(), graph_id: 'tools', input: human('2+3') });
  expect(roles(events)).toEqual(['assistant', 'tool', 'assistant']);
  expect(texts(events)).toEqual(['Let me add.', '5', 'It is 5.']);
  const args = { a: 2, b: 3, big: '10' };
  expect(events[0]).toMatchObject({ message: { tool_calls: [{ id: 'call-1', name: 'add', args }] } });
  expect(events[1]).toMatchObject({ message: { name: 'add', tool_call_id: 'call-1' } });
});

test.each([true, false])(
  'when messages are returned as plain data, then they are told like others (chunks: %s)',
  async (chunks) => {
    const run = { thread_id: randomUUID(), graph_id: 'plain', chunks };
    const { outcome, events } = await host().run({ ...run, input: human('x') });
    expect(texts(events)).toEqual(['a plain object', 'a pair']);
    expect(outcome).toMatchObject({ output: { seen: '1970-01-01T00:00:00.000Z' } });
    // The second turn begins with what the first one said.
    expect(texts((await host().run({ ...run, input: human('y') })).events)).toEqual([
      'a plain object',
      'a pair',
    ]);
  },
);

test('when a state has no messages, then it comes back as JSON', async () => {
  const { outcome, events } = await host().run({
    thread_id: randomUUID(),
    graph_id: 'steps',
    input: { topic: 'sea' },
  });
  expect(events).toEqual([]);
  const output = { topic: 'sea', log: ['one sea', 'two'] };
  expect(outcome).toEqual({ outcome: 'success', interrupts: [], output });
});

test('when a run ends, then its output is what the schema shows, without messages of before', async () => {
  const thread_id = randomUUID();
  const outputOf = async (graph_id: string, text: string) =>
    (await host().run({ thread_id, graph_id, input: human(text) })).outcome;
  for (const text of ['one', 'two']) {
    const quiet = { topic: text };
    expect(await outputOf('quiet', text)).toMatchObject({ outcome: 'success', output: quiet });
  }
  expect(await outputOf('secret', 'x')).toEqual({
    outcome: 'success',
    interrupts: [],
    output: { public: 'shown' },
  });
});

test('when a node asks twice, then it is answered twice, and an empty answer is one', async () => {
  const ask = { thread_id: randomUUID(), graph_id: 'approval' };
  const first = await host().run({ ...ask, input: human('x') });
  expect(first.outcome).toMatchObject({ interrupts: [{ value: 'What is your name?' }] });
  const second = await host().run({ ...ask, resume: { value: 'Ada' } });
  expect(second.outcome).toMatchObject({ interrupts: [{ value: { question: 'Sure?', name: 'Ada' } }] });
  const third = await host().run({ ...ask, resume: { value: '' } });
  expect(third.outcome).toMatchObject({ outcome: 'success', interrupts: [] });
  expect(texts(third.events)).toEqual(['Ada is ""']);
});

test.each(['still', 'mute'])(
  'when a graph stops before it writes, then it leaves the state as it was: %s',
  async (graph_id) => {
    const at = { thread_id: randomUUID(), graph_id, values: true };
    const valuesOf = async (run: object) => (await host().run({ ...at, ...run })).outcome;
    const stopped = (values: object) => ({ outcome: 'success', next: ['one'], values, output: null });
    expect(await valuesOf({ input: {} })).toMatchObject(stopped({}));
    const on = graph_id === 'mute' ? { command: { resume: 'one' } } : { input: null };
    expect(await valuesOf(on)).toMatchObject({ values: { said: 'one' } });
    for (const input of [{}, { unknown: 1 }])
      expect(await valuesOf({ input })).toMatchObject(stopped({ said: 'one' }));
  },
);

test('when several interrupts are open, then the first reported is answered, then the next', async () => {
  const ask = { thread_id: randomUUID(), graph_id: 'form' };
  const answers: Readonly<Record<string, string>> = { 'Which city?': 'Paris', 'Which day?': 'Monday' };
  let end = await host().run({ ...ask, input: human('x') });
  const asked: unknown[] = [];
  for (const open of [2, 1]) {
    const interrupts = end.outcome.outcome === 'success' ? end.outcome.interrupts : [];
    expect(interrupts).toHaveLength(open);
    const [first] = interrupts;
    asked.push(first?.value);
    const resume = { value: answers[String(first?.value)], interrupt_id: first?.id ?? '' };
    end = await host().run({ ...ask, resume });
  }
  expect(asked).toEqual(['Which city?', 'Which day?']);
  expect(texts(end.events)).toEqual(['Paris on Monday']);
});

test('when a graph is compiled to stop before a node, then it goes on once resumed', async () => {
  const ask = { thread_id: randomUUID(), graph_id: 'pause' };
  const first = await host().run({ ...ask, input: { topic: 'sea' } });
  expect(first.outcome).toMatchObject({ outcome: 'success', output: { log: ['one sea'] } });
  const second = await host().run({ ...ask, resume: { value: 'go on' } });
  expect(second.outcome).toMatchObject({ outcome: 'success', output: { log: ['one sea', 'two'] } });
});

test('when pieces are listened to, then they are those of the top level, and nothing is lost', async () => {
  const run = { thread_id: randomUUID(), graph_id: 'stream', chunks: true };
  const { outcome, events } = await host().run({ ...run, input: human('x') });
  const pieces = events.filter((event) => event.kind === 'chunk');
  expect(pieces.map((event) => event.text)).toEqual(['h', 'e', 'l', 'l', 'o', 'one', 'two']);
  expect(texts(events)).toEqual(['hello', 'one', 'two']);
  const ids = events.flatMap((event) => (event.kind === 'message' ? [event.message.id] : []));
  expect([...new Set(pieces.map((event) => event.message_id))]).toEqual(ids);
  const { messages } = (outcome as { output: { messages: { text: string }[] } }).output;
  expect(messages.map((message) => message.text)).toEqual(['hello', 'one', 'two']);
});

test('when nobody listens, then only whole messages are reported', async () => {
  const { events } = await host().run({ thread_id: randomUUID(), graph_id: 'stream', input: human('x') });
  expect(roles(events)).toEqual(['assistant', 'assistant', 'assistant']);
});

test('when a graph uses the store, then it goes through the engine', async () => {
  const note = async (text: string) =>
    texts((await host().run({ thread_id: randomUUID(), graph_id: 'notes', input: human(text) })).events);
  expect(await note('first')).toEqual(['true']);
  expect(await note('second')).toEqual(['first, true']);
});

test.each(['cancel', 'drain'] as const)(
  'when %s comes, then it ends a run whose node does not listen',
  async (reason) => {
    const ref = { run_id: randomUUID(), attempt: 1 };
    const began = texts(host().events).filter((text) => text === 'began').length;
    const ended = host().run({ ...ref, thread_id: randomUUID(), graph_id: 'slow', input: human('x') });
    await host().until(() => texts(host().events).filter((text) => text === 'began').length > began);
    const stale = await host().peer.ask('cancel', { ...ref, attempt: 2, reason });
    expect(stale.result).toEqual({ found: false });
    const { result } = await host().peer.ask('cancel', { ...ref, reason });
    expect(result).toEqual({ found: true });
    expect((await ended).outcome).toEqual({ outcome: 'cancelled', reason });
    expect((await host().peer.ask('ping', {})).result.runs).toBe(0);
  },
);

test('when code writes to the logger of the SDK, then lines are passed on with their level', async () => {
  await host().run({ thread_id: randomUUID(), graph_id: 'logger', input: human('x') });
  expect(host().logged.map(({ level, message }) => [level, message.split('\n')[0]])).toEqual([
    ['DEBUG', 'loading'],
    ['INFO', 'heard { words: 1 }'],
    ['WARNING', 'careful { port: 4100 }'],
    ['ERROR', 'Error: no luck'],
  ]);
});

test('when a graph throws, then that is an outcome', async () => {
  const { outcome } = await host().run({ thread_id: randomUUID(), graph_id: 'trouble', input: human('x') });
  expect(errorOf(outcome)).toMatchObject({
    name: 'RangeError',
    message: 'This went wrong. | with a second line',
  });
  const unknown = await host().run({ thread_id: randomUUID(), graph_id: 'nowhere', input: human('x') });
  expect(errorOf(unknown.outcome).message).toContain('There is no graph "nowhere"');
});

test('when a rejection is unhandled, then it is logged, and other runs continue', async () => {
  await host().run({ thread_id: randomUUID(), graph_id: 'trouble', input: human('reject') });
  await host().until(() => host().output.includes('unhandled rejection'));
  expect(host().output).toContain('nobody caught me');
  const still = await host().run({ thread_id: randomUUID(), input: human('still') });
  expect(texts(still.events)).toEqual(['1: still']);
});

test('when an agent ends its process, then all that it printed before is heard', async () => {
  await using doomed = new HostUnderTest(agents);
  const run = doomed.run({ thread_id: 't', graph_id: 'trouble', input: human('say much and exit') });
  await expect(run).rejects.toThrow('ended with 1');
  expect(doomed.output.match(/^line \d+$/gm)).toHaveLength(2000);
});

test('when an exception is uncaught, then it is logged and ends the host', async () => {
  await using doomed = new HostUnderTest(agents);
  const run = doomed.run({ thread_id: 't', graph_id: 'trouble', input: human('throw later') });
  await expect(run).rejects.toThrow('out of the blue');
  expect(await doomed.exited).toBe(70);
  expect(doomed.output).toContain('uncaught exception: Error: out of the blue');
});

test.each([
  ['sync', ['ask checkpoint.put', 'ask checkpoint.put_writes']],
  ['async', ['tell checkpoint.put', 'tell checkpoint.put_writes']],
  ['exit', ['tell checkpoint.put']],
] as const)(
  'when the durability is %s, then checkpoints are written as it says',
  async (durability, expected) => {
    const run = { thread_id: randomUUID(), durability };
    const before = host().engine.heard.length;
    await host().run({ ...run, input: human('x') });
    const puts = host()
      .engine.heard.slice(before)
      .filter((call) => call.includes('checkpoint'));
    expect([...new Set(puts)].toSorted()).toEqual(expected);
    expect(texts((await host().run({ ...run, input: human('y') })).events)).toEqual(['2: y']);
  },
);

test('when an attempt comes after a crash, then it goes on from the last checkpoint', async () => {
  await using crashed = new HostUnderTest(agents);
  const run = { run_id: randomUUID(), thread_id: 't', graph_id: 'steps' };
  await crashed.run({ ...run, input: { topic: 'sea' } });
  // The input, and the state with it: no node's result was written.
  crashed.engine.rewind('t', 2);
  const { outcome } = await crashed.run({ ...run, attempt: 2, goes_on: { after: null } });
  expect(outcome).toMatchObject({ outcome: 'success', output: { log: ['one sea', 'two'] } });
});

test('when an attempt continues, then it reports what its run has reported, and nothing older', async () => {
  const thread_id = randomUUID();
  const [first, second] = [
    { thread_id, run_id: randomUUID() },
    { thread_id, run_id: randomUUID() },
  ];
  await host().run({ ...first, input: human('one') });
  // Its process died before anybody heard what it said.
  const alone = await host().run({ ...first, attempt: 2, goes_on: { after: null } });
  expect(texts(alone.events.filter(isAnswer))).toEqual(['1: one']);
  const after = host().engine.checkpoints(thread_id)[0]?.checkpoint_id ?? null;
  await host().run({ ...second, input: human('two') });
  const again = await host().run({ ...second, attempt: 2, goes_on: { after } });
  expect(texts(again.events.filter(isAnswer))).toEqual(['2: two']);
});

test('when its parent ends, then a host ends; a terminal does not end it', async () => {
  await using orphan = new HostUnderTest(agents);
  await orphan.run({ thread_id: 't', input: human('x') });
  orphan.child.kill('SIGINT');
  expect((await orphan.peer.ask('ping', {})).result.runs).toBe(0);
  orphan.channel.destroy();
  expect(await orphan.exited).toBe(0);
});
