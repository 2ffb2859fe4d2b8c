import { AIMessage } from '@langchain/core/messages';
import { MessagesAnnotation, StateGraph } from '@langchain/langgraph';

/** Says `began`, then waits until its run is cancelled. */
export const graph = new StateGraph(MessagesAnnotation)
  .addNode('begin', () => ({ messages: [new AIMessage('began')] }))
  .addNode('wait', async (_state, { signal }) => {
    await new Promise((_resolve, reject) => {
      if (signal.aborted) reject(signal.reason);
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  })
  .addEdge('__start__', 'begin')
  .addEdge('begin', 'wait')
  .compile();
