import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { useFixture } from '@roadstead/testing';
import { beforeAll, expect, test } from 'vitest';
import type { ThreadState } from '@roadstead/contracts/host';
import { HostUnderTest, texts } from './testing/host-process.ts';

/** A conversation whose messages are stored as differences, whole every fifty. */

const agents = fileURLToPath(new URL('../fixtures/agents', import.meta.url));
const human = (text: string) => ({ messages: [{ role: 'user', content: text }] });
const at = { thread_id: randomUUID(), graph_id: 'delta' };
const TURNS = 65;
/** What each turn was told to say. */
const answers: string[][] = [];

const host = useFixture(() => new HostUnderTest(agents));
beforeAll(async () => {
  for (let turn = 0; turn < TURNS; turn += 1) {
    const { events } = await host().run({ ...at, input: human(`turn ${turn}`) });
    answers.push(texts(events));
  }
});

const said = (state: ThreadState | undefined) =>
  ((state?.values ?? { messages: [] }) as { messages: { content: string }[] }).messages.map(
    ({ content }) => content,
  );
const conversation = (turns: number) =>
  Array.from({ length: turns }, (_, turn) => [`turn ${turn}`, `${2 * turn + 1}: turn ${turn}`]).flat();

/** What the host asks meanwhile. */
async function asked<T>(work: () => Promise<T>): Promise<readonly [T, readonly string[]]> {
  const before = host().engine.heard.length;
  const done = await work();
  return [
    done,
    host()
      .engine.heard.slice(before)
      .filter((one) => one.startsWith('ask checkpoint')),
  ];
}
const history = async (limit: number) =>
  (await host().peer.ask('state.history', { ...at, limit })).result.states;

test('when a state has over a hundred messages, then two questions read it, for a run as well', async () => {
  const [{ result }, reads] = await asked(() => host().peer.ask('state.get', at));
  expect(said(result)).toEqual(conversation(TURNS));
  expect(reads).toEqual(['ask checkpoint.get', 'ask checkpoint.deltas']);
  const thread = { ...at, thread_id: randomUUID() };
  await host().run({ ...thread, input: human('one') });
  const [, begins] = await asked(() => host().run({ ...thread, input: human('two') }));
  expect(begins).toEqual(['ask checkpoint.get', 'ask checkpoint.deltas']);
});

test('when a turn is answered, then it is told once, and knows all messages before it', () => {
  expect(answers).toEqual(Array.from({ length: TURNS }, (_, turn) => [`${2 * turn + 1}: turn ${turn}`]));
});

test('when a graph stores deltas, then its host says so', async () => {
  const { result } = await host().peer.ask('describe', {});
  expect(result).toMatchObject({ langgraph_version: '1.4.17', stores_deltas: true });
});

test('when a history is read, then each state holds the messages of its time', async () => {
  const states = await history(1000);
  const ends = states.filter(({ next }) => next.length === 0).map(said);
  expect(ends).toHaveLength(TURNS);
  for (const [index, messages] of ends.entries()) expect(messages).toEqual(conversation(TURNS - index));
});

test('when a run forks, then it goes on from its checkpoint and knows nothing that came after', async () => {
  const states = await history(1000);
  const tenth = states.filter(({ next }) => next.length === 0).at(-10);
  expect(said(tenth)).toEqual(conversation(10));
  const checkpoint = { checkpoint_id: tenth?.checkpoint?.checkpoint_id ?? '' };
  const { events } = await host().run({ ...at, input: human('forked'), checkpoint });
  expect(texts(events)).toEqual(['21: forked']);
  expect(said((await host().peer.ask('state.get', at)).result)).toEqual([
    ...conversation(10),
    'forked',
    '21: forked',
  ]);
  expect(said((await host().peer.ask('state.get', { ...at, checkpoint })).result)).toEqual(conversation(10));
});
