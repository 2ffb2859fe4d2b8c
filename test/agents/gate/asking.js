import { Annotation, END, interrupt, START, StateGraph } from '@langchain/langgraph';

/** Asks what its input holds, in any shape, and keeps the answer as it came. */
export const graph = new StateGraph(Annotation.Root({ question: Annotation(), answer: Annotation() }))
  .addNode('ask', ({ question }) => ({ answer: interrupt(question) }))
  .addEdge(START, 'ask')
  .addEdge('ask', END)
  .compile();
