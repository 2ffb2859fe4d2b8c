import { AIMessage } from '@langchain/core/messages';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';

/** Not compiled: who deploys it compiles it. */
export const builder = new StateGraph(MessagesAnnotation)
  .addNode('answer', ({ messages }) => ({
    messages: [new AIMessage(`builder: ${messages.at(-1).text}`)],
  }))
  .addEdge(START, 'answer')
  .addEdge('answer', END);
