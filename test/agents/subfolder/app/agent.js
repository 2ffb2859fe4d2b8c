import { AIMessage } from '@langchain/core/messages';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';

export const graph = new StateGraph(MessagesAnnotation)
  .addNode('answer', ({ messages }) => ({
    messages: [new AIMessage(`subfolder: ${messages.at(-1).text}`)],
  }))
  .addEdge(START, 'answer')
  .addEdge('answer', END)
  .compile();
