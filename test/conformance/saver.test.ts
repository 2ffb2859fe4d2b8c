import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages';
import {
  Annotation,
  DeltaChannel,
  END,
  MessagesAnnotation,
  messagesDeltaReducer,
  START,
  StateGraph,
} from '@langchain/langgraph';
import * as checkpoint from '@langchain/langgraph-checkpoint';
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import { deltaChannelHistoryTests, specTest } from '@langchain/langgraph-checkpoint-validation';
import * as vitest from 'vitest';
import { checksOfEngine, Peer } from '@roadstead/contracts/host-peer';
import { ENGINE_SCHEMA } from '../../packages/agent-server/src/database/engine-migrations.ts';
import { createSaver, type HostPeer } from '../../packages/graph-host/src/checkpoints/saver.ts';
import { engineSide, openEngine } from './engine-side.ts';

/** The saver of the graph host over the real engine on a real database, held to LangGraph's own suite. */

// The suite finds its test runner among the globals.
Object.assign(globalThis, {
  describe: vitest.describe,
  it: vitest.it,
  expect: vitest.expect,
  beforeAll: vitest.beforeAll,
  afterAll: vitest.afterAll,
  beforeEach: vitest.beforeEach,
  afterEach: vitest.afterEach,
});

const opened = new Map<object, OpenedSaver>();

interface OpenedSaver extends AsyncDisposable {
  readonly saver: checkpoint.BaseCheckpointSaver;
  readonly url: string;
}

async function open(): Promise<OpenedSaver> {
  const stack = new AsyncDisposableStack();
  const { engine, url } = stack.use(await openEngine());
  const host: HostPeer = new Peer(
    { write: (frame) => other.receive(frame) },
    {
      checks: checksOfEngine,
      malformed: 'answer',
      ask: () => Promise.reject(new Error('nobody asks a saver')),
      tell: () => undefined,
    },
  );
  const other = engineSide(engine, (frame) => host.receive(frame));
  const saver = createSaver(checkpoint as never, host) as checkpoint.BaseCheckpointSaver;
  return { saver, url, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

const initializer = {
  checkpointerName: 'the graph host’s saver',
  createCheckpointer: async () => {
    const one = await open();
    opened.set(one.saver, one);
    return one.saver;
  },
  destroyCheckpointer: async (saver: checkpoint.BaseCheckpointSaver) => {
    await opened.get(saver)?.[Symbol.asyncDispose]();
    opened.delete(saver);
  },
};
specTest(initializer);
deltaChannelHistoryTests(initializer);

vitest.test('when our saver wrote states, then LangGraph’s own saver reads them', async () => {
  await using one = await open();
  const graph = new StateGraph(MessagesAnnotation)
    .addNode('answer', ({ messages }) => ({ messages: [new AIMessage(`answer to ${messages.length}`)] }))
    .addEdge(START, 'answer')
    .addEdge('answer', END);
  const config = { configurable: { thread_id: 'a long conversation' } };
  const written = graph.compile({ checkpointer: one.saver });
  const long = Array.from({ length: 300 }, (_, at) => new HumanMessage(`message ${at}`));
  for (const messages of [long, [new HumanMessage('one more')]]) await written.invoke({ messages }, config);
  const stock = PostgresSaver.fromConnString(one.url, { schema: ENGINE_SCHEMA });
  const read = graph.compile({ checkpointer: stock });
  const history = async (of: typeof read) =>
    JSON.stringify(await Array.fromAsync(of.getStateHistory(config)));
  const [theirs, ours] = [await history(read), await history(written)];
  await stock.end();
  vitest.expect(ours).toContain('answer to 302');
  vitest.expect(theirs).toBe(ours);
});

vitest.test(
  'when a state is stored as differences, then it is the same as in memory, forks included',
  async () => {
    await using one = await open();
    const State = Annotation.Root({
      messages: () => new DeltaChannel(messagesDeltaReducer, { snapshotFrequency: 7 }),
    });
    const graph = new StateGraph(State)
      .addNode('answer', ({ messages }: { messages: BaseMessage[] }) => ({
        messages: [new AIMessage({ id: `a${messages.length}`, content: 'answer' })],
      }))
      .addEdge(START, 'answer')
      .addEdge('answer', END);
    const told = async (saver: checkpoint.BaseCheckpointSaver) => {
      const compiled = graph.compile({ checkpointer: saver });
      const config = { configurable: { thread_id: 'a conversation' } };
      const say = (id: string) =>
        compiled.invoke({ messages: [new HumanMessage({ id, content: id })] }, config);
      for (let turn = 0; turn < 20; turn += 1) await say(`h${turn}`);
      const before = await Array.fromAsync(compiled.getStateHistory(config));
      const tenth = before.filter(({ next }) => next.length === 0).at(-10);
      const by_hand = { messages: [new AIMessage({ id: 'by hand', content: 'x' })] };
      await compiled.updateState(tenth?.config ?? config, by_hand, 'answer');
      await say('fork');
      const states = [
        await compiled.getState(config),
        ...(await Array.fromAsync(compiled.getStateHistory(config))),
      ];
      return states.map(({ values, next }) => [
        (values as { messages: BaseMessage[] }).messages.map(({ id }) => id).join(' '),
        next,
      ]);
    };
    const ours = await told(one.saver);
    vitest.expect(ours[0]).toEqual([expectedFork, []]);
    vitest.expect(ours).toEqual(await told(new checkpoint.MemorySaver()));
  },
);

const expectedFork = [
  ...Array.from({ length: 10 }, (_, turn) => `h${turn} a${2 * turn + 1}`),
  'by hand fork a22',
].join(' ');
