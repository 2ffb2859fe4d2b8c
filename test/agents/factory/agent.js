import { AIMessage } from '@langchain/core/messages';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';

/** Called for each run with its configuration. */
export async function makeGraph(config) {
  const tone = config?.configurable?.tone ?? 'plain';
  return new StateGraph(MessagesAnnotation)
    .addNode('answer', ({ messages }) => ({
      messages: [new AIMessage(`factory ${tone}: ${messages.at(-1).text}`)],
    }))
    .addEdge(START, 'answer')
    .addEdge('answer', END)
    .compile();
}
