import { Annotation, StateGraph } from '@langchain/langgraph';

const named = (length) => ({ ['k'.repeat(length)]: 1 });

/** Keeps a key that is as long as it is told, and streams one. */
export const graph = new StateGraph(
  Annotation.Root({ kept_length: Annotation(), streamed_length: Annotation(), kept: Annotation() }),
)
  .addNode('keep', ({ kept_length = 1, streamed_length = 1 }, { writer }) => {
    writer?.(named(streamed_length));
    return { kept: named(kept_length) };
  })
  .addEdge('__start__', 'keep')
  .compile();
