import { AIMessage } from '@langchain/core/messages';
import { END, interrupt, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';

const says = (text) => ({ messages: [new AIMessage(text)] });

/** Asks two questions at once, and notes something beside them. */
export const graph = new StateGraph(MessagesAnnotation)
  .addNode('left', () => says(`left: ${interrupt('Left?')}`))
  .addNode('right', () => says(`right: ${interrupt('Right?')}`))
  .addNode('note', () => says('noted in JavaScript'))
  .addEdge(START, 'left')
  .addEdge(START, 'right')
  .addEdge(START, 'note')
  .addEdge('left', END)
  .addEdge('right', END)
  .addEdge('note', END)
  .compile();
