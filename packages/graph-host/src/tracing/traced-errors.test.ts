import { LangChainTracer } from '@langchain/core/tracers/tracer_langchain';
import {
  Annotation,
  Command,
  GraphInterrupt,
  interrupt,
  MemorySaver,
  NodeInterrupt,
  START,
  StateGraph,
} from '@langchain/langgraph';
import { expect, test } from 'vitest';
import { nameBubbleUps } from './traced-errors.ts';

class NamedTracer extends LangChainTracer {
  // The original makes one of its own class.
  override copyWithTracingConfig(...config: Parameters<LangChainTracer['copyWithTracingConfig']>) {
    return Object.setPrototypeOf(
      super.copyWithTracingConfig(...config),
      NamedTracer.prototype,
    ) as LangChainTracer;
  }
}
nameBubbleUps(NamedTracer as never);

class Pause extends GraphInterrupt {
  override name = 'Pause';
}

const State = Annotation.Root({ said: Annotation<string> });
const thrown: Readonly<Record<string, () => unknown>> = {
  asks: () => interrupt('Sure?'),
  asks_early: () => {
    throw new NodeInterrupt('Not yet.');
  },
  pauses: () => {
    throw new Pause([{ value: 'A moment.' }]);
  },
  fails: () => {
    throw new TypeError('no luck');
  },
};

/** What the tracer says of a node that does so. */
async function errorOf(act: () => unknown): Promise<string | undefined> {
  const errors: (string | undefined)[] = [];
  const client = {
    createRun: () => Promise.resolve(),
    updateRun: (_id: string, { name, error }: { name?: string; error?: string }) => {
      if (name === 'act') errors.push(error);
      return Promise.resolve();
    },
  };
  const tracer = new NamedTracer({ client });
  const graph = new StateGraph(State)
    .addNode('act', async () => ({ said: String(await act()) }))
    .addEdge(START, 'act')
    .compile({ checkpointer: new MemorySaver() });
  const config = { configurable: { thread_id: 'one' }, callbacks: [tracer] };
  await graph.invoke({ said: '' }, config).catch(() => undefined);
  await expect.poll(() => errors.length).toBeGreaterThan(0);
  return errors[0];
}

test.each([
  ['asks', /^GraphInterrupt\(\[[^]*Sure\?[^]*\]\)$/],
  ['asks_early', /^NodeInterrupt\(\[[^]*Not yet\.[^]*\]\)$/],
  ['pauses', /^GraphInterrupt\(\[[^]*A moment\.[^]*\]\)$/],
  ['fails', /^no luck\n\nTypeError: no luck\n {4}at /],
] as const)('when a node %s, then it is traced so', async (what, told) => {
  expect(await errorOf(thrown[what] ?? (() => ''))).toMatch(told);
});

test('when a graph hands on to the one around it, then it is traced so', async () => {
  const inner = new StateGraph(State)
    .addNode('act', () => new Command({ goto: 'next', graph: Command.PARENT }))
    .addEdge(START, 'act')
    .compile();
  expect(await errorOf(() => inner.invoke({ said: '' }))).toMatch(/^ParentCommand\(\)$/);
});
