import { AIMessage } from '@langchain/core/messages';
import { END, interrupt, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';

/** Waits until somebody opens the gate of this name; gives up when its run is ended. */
async function passed(name, { store, signal }) {
  while ((await store.get(['gates'], name)) === null) {
    signal?.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** `wait NAME` waits at a gate, `open NAME` opens it, `ask` asks, `fail` fails; anything else is said again. */
export const graph = new StateGraph(MessagesAnnotation)
  .addNode('begin', () => ({ messages: [new AIMessage('Let me see.')] }))
  .addNode('act', async ({ messages }, config) => {
    const [word, name] = messages.findLast((message) => message.getType() === 'human').text.split(' ');
    if (word === 'wait') await passed(name, config);
    if (word === 'open') await config.store.put(['gates'], name, { open: true });
    if (word === 'fail') throw new TypeError('no luck');
    const said =
      word === 'ask' ? `Hello, ${interrupt({ question: 'Who is there?' })}!` : `${word} ${name ?? ''}`;
    return { messages: [new AIMessage(said.trim())] };
  })
  .addEdge(START, 'begin')
  .addEdge('begin', 'act')
  .addEdge('act', END)
  .compile();
