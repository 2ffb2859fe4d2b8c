import { AIMessage } from '@langchain/core/messages';
import { MessagesAnnotation, StateGraph } from '@langchain/langgraph';

/** Answers the identity of the caller. */
export const graph = new StateGraph(MessagesAnnotation)
  .addNode('answer', (_state, { configurable }) => ({
    messages: [new AIMessage(configurable.langgraph_auth_user.identity)],
  }))
  .addEdge('__start__', 'answer')
  .compile();
