import { MessagesAnnotation, StateGraph } from '@langchain/langgraph';

/** Fails with a `RangeError`, or refuses its input where it is told to. */
export const graph = new StateGraph(MessagesAnnotation)
  .addNode('fail', ({ messages }) => {
    if (messages.at(-1).text === 'refuse')
      throw Object.assign(new Error('Only invoices are handled here.'), { a2a: 'reject' });
    throw new RangeError('This went wrong.\nwith a second line');
  })
  .addEdge('__start__', 'fail')
  .compile();
