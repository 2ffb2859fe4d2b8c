import { AIMessage } from '@langchain/core/messages';
import { FakeListChatModel } from '@langchain/core/utils/testing';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';

/** Repeats what it was told, letter by letter, and takes its time. */
async function answer({ messages }, { signal }) {
  const model = new FakeListChatModel({ responses: [`heard: ${messages.at(-1).text}`], sleep: 60 });
  let message;
  for await (const piece of await model.stream(messages, { signal }))
    message = message?.concat(piece) ?? piece;
  return { messages: [new AIMessage({ id: message.id, content: message.text })] };
}

export const graph = new StateGraph(MessagesAnnotation)
  .addNode('answer', answer)
  .addEdge(START, 'answer')
  .addEdge('answer', END)
  .compile();
