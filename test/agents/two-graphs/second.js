import { Annotation, END, START, StateGraph } from '@langchain/langgraph';

/** A state without messages; the default export is meant when a path names none. */
const State = Annotation.Root({ text: Annotation(), words: Annotation() });

export default new StateGraph(State)
  .addNode('count', ({ text }) => ({ words: (text ?? '').split(/\s+/).filter(Boolean).length }))
  .addEdge(START, 'count')
  .addEdge('count', END)
  .compile();
