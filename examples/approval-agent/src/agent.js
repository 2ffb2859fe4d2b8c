import { AIMessage } from '@langchain/core/messages';
import { interrupt, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';

/** Asks the person before it acts; the answer to the question goes on where it stopped. */
async function refund({ messages }) {
  const request = String(messages.at(-1)?.content ?? '');
  const amount = /\d+/.exec(request)?.[0] ?? '10';
  const answer = interrupt(`Shall I refund ${amount} euros? Answer yes or no.`);
  const agreed = /^\s*(y|yes|ja|ok)\b/i.test(String(answer));
  return {
    messages: [
      new AIMessage(agreed ? `Done: ${amount} euros are on their way.` : 'I left it: nothing was refunded.'),
    ],
  };
}

export const graph = new StateGraph(MessagesAnnotation)
  .addNode('refund', refund)
  .addEdge(START, 'refund')
  .compile();
