import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';

/** Never comes back, and keeps its process from noticing anything. */
export const graph = new StateGraph(MessagesAnnotation)
  .addNode('think', () => {
    for (;;);
  })
  .addEdge(START, 'think')
  .addEdge('think', END)
  .compile();
