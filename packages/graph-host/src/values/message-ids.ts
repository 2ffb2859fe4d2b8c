import { idOf, messagesIn } from './messages.ts';

/**
 * Gives messages that a node returns without an id one each, as one of LangChain's callback handlers. LangGraph's stream
 * mode `messages` would give all of a node's the *same* id, of which the state then keeps only the last.
 */
export const messageIds = {
  name: 'roadstead-message-ids',
  /** Before LangGraph's own handler, which comes after it. */
  awaitHandlers: true,
  handleChainEnd(outputs: unknown): void {
    for (const message of messagesIn(outputs)) idOf(message);
  },
} as const;
