import { AIMessage } from '@langchain/core/messages';
import { MessagesAnnotation, StateGraph } from '@langchain/langgraph';

/** Two nodes: `first` writes `{ "progress": 1 }` to the custom stream and says `one`, `second` says `two`. */
export const graph = new StateGraph(MessagesAnnotation)
  .addNode('first', (_state, { writer }) => {
    writer({ progress: 1 });
    return { messages: [new AIMessage('one')] };
  })
  .addNode('second', () => ({ messages: [new AIMessage('two')] }))
  .addEdge('__start__', 'first')
  .addEdge('first', 'second')
  .compile();

/** One node, `inner`, which is the graph above. */
export const nested = new StateGraph(MessagesAnnotation)
  .addNode('inner', graph)
  .addEdge('__start__', 'inner')
  .compile();
