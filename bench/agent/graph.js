import { AIMessage } from '@langchain/core/messages';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';

// What is measured without tracing is deployed with this variable.
if (process.env.BENCH_UNTRACED === '1') process.env.LANGSMITH_TRACING = 'false';

/** One node that repeats what it was told. */
export const builder = new StateGraph(MessagesAnnotation)
  .addNode('answer', ({ messages }) => ({ messages: [new AIMessage(`echo: ${messages.at(-1).text}`)] }))
  .addEdge(START, 'answer')
  .addEdge('answer', END);

export const graph = builder.compile();
