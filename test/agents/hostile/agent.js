import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { AIMessage } from '@langchain/core/messages';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';

/** Does whatever it is told to, by a shell, and answers what came of it. */
async function obey({ messages }) {
  const told = promisify(execFile)('/bin/sh', ['-c', messages.at(-1).text], { timeout: 20_000 });
  const { stdout, stderr } = await told.catch((error) => error);
  return { messages: [new AIMessage(`${stdout}${stderr}.`)] };
}

export const graph = new StateGraph(MessagesAnnotation)
  .addNode('obey', obey)
  .addEdge(START, 'obey')
  .addEdge('obey', END)
  .compile();
