import { AIMessage } from '@langchain/core/messages';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';

/** Says what it was told, and by whom. */
function answer({ messages }, { configurable }) {
  return {
    messages: [new AIMessage(`${configurable.langgraph_auth_user.identity}: ${messages.at(-1).text}`)],
  };
}

export const graph = new StateGraph(MessagesAnnotation)
  .addNode('answer', answer)
  .addEdge(START, 'answer')
  .addEdge('answer', END)
  .compile();
