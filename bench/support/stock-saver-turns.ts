import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import { builder } from '../agent/graph.js';

/** Turns of conversations of the bench's graph with LangGraph's own saver. */
export async function openStockSaver(
  url: string,
): Promise<{ turn(thread_id: string): Promise<void> } & AsyncDisposable> {
  const saver = PostgresSaver.fromConnString(url);
  await saver.setup();
  const graph = builder.compile({ checkpointer: saver });
  return {
    turn: async (thread_id) => {
      await graph.invoke(
        { messages: [{ role: 'user', content: 'hello' }] },
        // As ours, which LangGraph's own server has as its default, too.
        { configurable: { thread_id }, durability: 'async' },
      );
    },
    [Symbol.asyncDispose]: () => saver.end(),
  };
}
