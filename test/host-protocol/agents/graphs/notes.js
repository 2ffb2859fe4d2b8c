import { AIMessage } from '@langchain/core/messages';
import { getStore, MessagesAnnotation, StateGraph } from '@langchain/langgraph';

/** Stores `{ "text": TEXT }` as `last` in the namespace `notes`, and answers what stood there before, or `nothing`. */
export const graph = new StateGraph(MessagesAnnotation)
  .addNode('note', async ({ messages }) => {
    const store = getStore();
    const before = await store.get(['notes'], 'last');
    await store.put(['notes'], 'last', { text: messages.at(-1).text });
    return { messages: [new AIMessage(before?.value.text ?? 'nothing')] };
  })
  .addEdge('__start__', 'note')
  .compile();
