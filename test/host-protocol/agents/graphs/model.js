import { FakeListChatModel } from '@langchain/core/utils/testing';
import { MessagesAnnotation, StateGraph } from '@langchain/langgraph';

const model = new FakeListChatModel({ responses: ['hello'], sleep: 1 });

/** One node, `say`: a model answers `hello`, letter by letter. */
export const graph = new StateGraph(MessagesAnnotation)
  .addNode('say', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
  .addEdge('__start__', 'say')
  .compile();
