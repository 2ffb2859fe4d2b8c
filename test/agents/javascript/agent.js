import { AIMessage } from '@langchain/core/messages';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';

/** Says what it was told, and how often it was spoken to. */
function answer({ messages }) {
  const turn = messages.filter((message) => message.getType() === 'human').length;
  return { messages: [new AIMessage(`javascript ${turn}: ${messages.at(-1).text}`)] };
}

export const graph = new StateGraph(MessagesAnnotation)
  .addNode('answer', answer)
  .addEdge(START, 'answer')
  .addEdge('answer', END)
  .compile();
