import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { AIMessage } from '@langchain/core/messages';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';

/** Does whatever it is told to: code after “run:” by itself, anything else by a shell. It answers what came of it. */
async function obey({ messages }) {
  const told = messages.at(-1).text;
  const said = told.startsWith('run:') ? await run(told.slice('run:'.length)) : await shell(told);
  return { messages: [new AIMessage(`${said}.`)] };
}

async function run(code) {
  let said = '';
  const say = (value) => (said += `${value}\n`);
  const act = new Function('say', 'require', `return (async () => { ${code} })()`);
  await act(say, process.getBuiltinModule).catch((error) =>
    say(`${error.code ?? error.name}: ${error.message}`),
  );
  return said;
}

async function shell(command) {
  const done = promisify(execFile)('/bin/sh', ['-c', command], { timeout: 20_000 });
  const { stdout, stderr } = await done.catch((error) => error);
  return stdout + stderr;
}

export const graph = new StateGraph(MessagesAnnotation)
  .addNode('obey', obey)
  .addEdge(START, 'obey')
  .addEdge('obey', END)
  .compile();
