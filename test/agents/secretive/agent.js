import { createHash } from 'node:crypto';
import { AIMessage } from '@langchain/core/messages';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';

const hashOf = (text) => createHash('sha256').update(text).digest('hex');

/** Proves that it has its secrets, and does what it must not do with them. */
function answer({ messages }) {
  const { MY_SECRET, MY_PEM } = process.env;
  if (messages.at(-1).text === 'print') {
    console.log(`the secret is ${MY_SECRET}`);
    console.error(MY_PEM);
    console.log(JSON.stringify({ MY_PEM }));
  }
  if (messages.at(-1).text === 'throw') throw new Error(`${MY_SECRET} does not work`);
  return { messages: [new AIMessage(hashOf(MY_SECRET + MY_PEM))] };
}

export const graph = new StateGraph(MessagesAnnotation)
  .addNode('answer', answer)
  .addEdge(START, 'answer')
  .addEdge('answer', END)
  .compile();
