import { AIMessage } from '@langchain/core/messages';
import { Annotation, DeltaChannel, messagesDeltaReducer, StateGraph } from '@langchain/langgraph';

const State = Annotation.Root({
  messages: () => new DeltaChannel(messagesDeltaReducer, { snapshotFrequency: 50 }),
});

/** Stores its messages as differences, and answers how many there are. */
export const graph = new StateGraph(State)
  .addNode('count', ({ messages }) => ({ messages: [new AIMessage(String(messages.length))] }))
  .addEdge('__start__', 'count')
  .compile();
