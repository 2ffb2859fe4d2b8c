import { RunnableLambda } from '@langchain/core/runnables';
import { tool } from '@langchain/core/tools';
import { LangChainTracer } from '@langchain/core/tracers/tracer_langchain';
import { FakeListChatModel } from '@langchain/core/utils/testing';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { traceable } from 'langsmith/traceable';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { traceLean, type Tracer } from './lean-tracer.ts';

type SentRun = Readonly<Record<string, unknown>> & { readonly id: string };

/** Merges like a server: what a run reports at its end replaces what it reported at its beginning. */
class Client {
  readonly runs = new Map<string, SentRun>();
  readonly created: SentRun[] = [];
  readonly updated: string[] = [];
  createRun(run: SentRun) {
    this.created.push(run);
    this.#add(run.id, run);
    return Promise.resolve();
  }
  updateRun(id: string, run: SentRun) {
    this.updated.push(id);
    this.#add(id, run);
    return Promise.resolve();
  }
  #add(id: string, run: SentRun) {
    const told = Object.entries(run).filter(([, value]) => value !== undefined);
    this.runs.set(id, { ...this.runs.get(id), ...Object.fromEntries(told), id });
  }
}

class Lean extends LangChainTracer {
  // The original makes one of its own class.
  override copyWithTracingConfig(...config: Parameters<LangChainTracer['copyWithTracingConfig']>) {
    return Object.setPrototypeOf(super.copyWithTracingConfig(...config), Lean.prototype) as LangChainTracer;
  }
}
traceLean(Lean as unknown as { prototype: Tracer });
class Stock extends LangChainTracer {}
type Kind = typeof Stock;

const open = (Made: Kind) => {
  const client = new Client();
  return { client, tracer: new Made({ client: client as never, projectName: 'project' }) };
};

const add = tool(({ a, b }) => a + b, { name: 'add', schema: z.object({ a: z.number(), b: z.number() }) });
const model = new FakeListChatModel({ responses: ['hello'] });
const inner = new StateGraph(MessagesAnnotation)
  .addNode('speak', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
  .addEdge(START, 'speak')
  .addEdge('speak', END)
  .compile();
const graph = new StateGraph(MessagesAnnotation)
  .addNode('inner', inner)
  .addNode('work', async () => {
    await add.invoke({ a: 1, b: 2 });
    await RunnableLambda.from((word: string) => word.length)
      .withConfig({ runName: 'length', tags: ['counted'], metadata: { own: 'x' } })
      .invoke('word');
    await traceable((word: string) => word, { name: 'traceable', tracingEnabled: true })('word');
    return {};
  })
  .addNode('fail', async ({ messages }) => {
    if (messages.at(0)?.text === 'fail') throw new Error('as asked');
    return {};
  })
  .addEdge(START, 'inner')
  .addEdge('inner', 'work')
  .addEdge('work', 'fail')
  .addEdge('fail', END)
  .compile();

/** Runs by their names from the root; without ids and times. */
function traced(runs: ReadonlyMap<string, SentRun>): unknown[] {
  const pathOf = ({ name, parent_run_id }: SentRun): string => {
    const parent = runs.get(String(parent_run_id));
    return parent === undefined ? String(name) : `${pathOf(parent)} > ${String(name)}`;
  };
  const said = [...runs.values()].map((run) => ({
    path: pathOf(run),
    depth: String(run['dotted_order']).split('.').length,
    is_in_order: String(run['dotted_order']).endsWith(run.id),
    is_ended: run['end_time'] !== undefined,
    run_type: run['run_type'],
    session_name: run['session_name'],
    inputs: run['inputs'],
    outputs: run['outputs'],
    error: String(run['error']).split('\n')[0],
    tags: run['tags'],
    serialized: run['serialized'],
    events: (run['events'] as { name: string }[] | undefined)?.map(({ name }) => name),
    extra: run['extra'],
  }));
  const stable = JSON.stringify(said.toSorted((a, b) => a.path.localeCompare(b.path)))
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'id')
    .replaceAll(/run-id|"id":"[^"]*"/g, '"id":"id"');
  return JSON.parse(stable) as unknown[];
}

for (const word of ['go on', 'fail'])
  test(`when a graph is told to ${word}, then the same is sent as by the stock tracer`, async () => {
    const outcomes = [];
    for (const Made of [Stock, Lean]) {
      const { client, tracer } = open(Made);
      const input = { messages: [{ role: 'user', content: word }] };
      const config = {
        callbacks: [tracer],
        tags: ['tag'],
        metadata: { thread_id: 't', revision: 1 },
        // Which a tracer writes into metadata by itself.
        configurable: { customer: 'c' },
      };
      await graph.invoke(input, { ...config, runName: 'agent' }).catch(() => undefined);
      const isWhole = () => {
        const runs = [...client.runs.values()];
        return (
          runs.some(({ name }) => name === 'agent') && runs.every((run) => run['end_time'] !== undefined)
        );
      };
      await expect.poll(isWhole).toBe(true);
      outcomes.push({ client, runs: traced(client.runs) });
    }
    const [stock, lean] = outcomes;
    expect(stock?.runs.length).toBeGreaterThan(8);
    expect(stock?.runs).toContainEqual(
      expect.objectContaining({
        path: expect.stringMatching(/work > traceable$/) as unknown,
        extra: expect.objectContaining({
          metadata: expect.objectContaining({ customer: 'c' }) as unknown,
        }) as unknown,
      }),
    );
    expect(lean?.runs).toEqual(stock?.runs);
    expect(stock?.client.updated.length).toBe(stock?.runs.length);
    // What `traceable` traces is told of by itself, and so is what takes long on this machine.
    expect(lean?.client.updated.length).toBeLessThan(stock?.runs.length ?? 0);
    expect(lean?.client.created.length).toBe(lean?.runs.length);
  });

test('when a run lasts, then it is told before it ends, and its end afterwards', async () => {
  const { client, tracer } = open(Lean);
  const gate = Promise.withResolvers<string>();
  const run = RunnableLambda.from(() => gate.promise).invoke('x', { callbacks: [tracer] });
  await expect.poll(() => client.created.length).toBe(1);
  expect(client.created[0]).toMatchObject({ inputs: { input: 'x' }, outputs: undefined });
  gate.resolve('done');
  await run;
  await expect.poll(() => client.updated.length).toBe(1);
  expect([...client.runs.values()]).toMatchObject([{ outputs: { output: 'done' } }]);
  expect(client.created).toHaveLength(1);
});

test('when tracing ends, then what is held is told at once, and nothing more is held', async () => {
  class Ending extends LangChainTracer {}
  const held = traceLean(Ending as unknown as { prototype: Tracer });
  const { client, tracer } = open(Ending);
  const gate = Promise.withResolvers<string>();
  const began = Promise.withResolvers<undefined>();
  const run = RunnableLambda.from(() => {
    began.resolve(undefined);
    return gate.promise;
  }).invoke('x', { callbacks: [tracer] });
  await began.promise;
  await held.end();
  await expect.poll(() => client.created.length).toBe(1);
  gate.resolve('done');
  await run;
  await expect.poll(() => client.updated.length).toBe(1);
  expect(client.created).toHaveLength(1);
  await RunnableLambda.from((word: string) => word).invoke('x', { callbacks: [tracer] });
  await expect.poll(() => client.updated.length).toBe(2);
});

test.each([
  ['draws a sample', { tracingSampleRate: 0.5 }],
  ['waits for the end of a root to be sent', { blockOnRootRunFinalization: true }],
])('when a client %s, then nothing is held for it', async (_what, settings) => {
  const { client, tracer } = open(Lean);
  Object.assign(client, settings);
  await RunnableLambda.from((word: string) => word).invoke('x', { callbacks: [tracer] });
  await expect.poll(() => client.updated.length).toBe(1);
  expect(client.created).toHaveLength(1);
});

test('when a tracer is one’s own, then it hears of a begin at once', async () => {
  class Own extends Lean {
    override async onRunUpdate() {}
  }
  const { client, tracer } = open(Own);
  await RunnableLambda.from((word: string) => word).invoke('x', { callbacks: [tracer] });
  await expect.poll(() => client.created.length).toBe(1);
  expect(client.created[0]?.['end_time']).toBeUndefined();
});

test('when a run has two tracers, then they are told apart', async () => {
  const [first, second] = [open(Lean), open(Lean)];
  await RunnableLambda.from((word: string) => word).invoke('x', { callbacks: [first.tracer, second.tracer] });
  for (const { client } of [first, second]) {
    await expect.poll(() => [...client.runs.values()][0]?.['end_time']).toBeDefined();
    expect(client.runs.size).toBe(1);
  }
});

test('when a step asks for its tree, then it has its own, of the same class', () => {
  const { tracer } = open(Lean);
  const begun = tracer._createRunForChainStart({ id: ['x'] } as never, {}, 'a', undefined, [], { own: 1 });
  const [first, second] = [1, 2].map(() => tracer.getRunTreeWithTracingConfig(begun.id));
  expect(first).not.toBe(second);
  expect(Object.getPrototypeOf(first)).toBe(Object.getPrototypeOf(second));
  expect(Object.keys(first ?? {}).toSorted()).toEqual(Object.keys(second ?? {}).toSorted());
  expect(Object.entries(second ?? {})).toEqual(expect.arrayContaining(Object.entries(first ?? {})));
  Object.assign(second?.extra?.metadata ?? {}, { later: 1 });
  expect(tracer.getRunTreeWithTracingConfig(begun.id)?.extra?.metadata).toEqual({ own: 1 });
});

test('when a run has children, then it does not keep them, so that none makes the next dearer', () => {
  const childrenOf = (Made: Kind) => {
    const { tracer } = open(Made);
    const begin = (id: string, parent?: string) =>
      tracer._createRunForChainStart({ id: ['x'] } as never, {}, id, parent, []);
    begin('root');
    for (let at = 0; at < 5; at += 1) begin(`child ${at}`, 'root');
    return tracer.getRun('root')?.child_runs.length;
  };
  expect(childrenOf(Stock)).toBe(5);
  expect(childrenOf(Lean)).toBe(0);
  // It may ask for them when the root ends.
  class Own extends Lean {}
  expect(childrenOf(Own)).toBe(5);
});

test('when a tracer reads otherwise, then it is left alone', () => {
  class Other extends LangChainTracer {
    override async onRunUpdate() {}
  }
  const { _addChildRun: before } = Other.prototype as unknown as Tracer;
  traceLean(Other as unknown as { prototype: Tracer });
  expect((Other.prototype as unknown as Tracer)._addChildRun).toBe(before);
  expect(Object.hasOwn(Other.prototype, 'onRunCreate')).toBe(false);
});
