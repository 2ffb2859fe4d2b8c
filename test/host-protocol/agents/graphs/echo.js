import { AIMessage } from '@langchain/core/messages';
import { MessagesAnnotation, StateGraph } from '@langchain/langgraph';

/** Answers `N: TEXT`, where N counts the messages of people in the thread. */
export const graph = new StateGraph(MessagesAnnotation)
  .addNode('answer', ({ messages }) => {
    const asked = messages.filter((message) => message.getType() === 'human');
    return { messages: [new AIMessage(`${asked.length}: ${asked.at(-1)?.text ?? ''}`)] };
  })
  .addEdge('__start__', 'answer')
  .compile();
