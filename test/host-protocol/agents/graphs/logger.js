import { getLogger } from '@langchain/langgraph-sdk/logging';
import { AIMessage } from '@langchain/core/messages';
import { MessagesAnnotation, StateGraph } from '@langchain/langgraph';

/** Logs `careful` as a warning, prints `printed`, and says `logged`. */
export const graph = new StateGraph(MessagesAnnotation)
  .addNode('node', () => {
    getLogger().warn('careful');
    console.log('printed');
    return { messages: [new AIMessage('logged')] };
  })
  .addEdge('__start__', 'node')
  .compile();
