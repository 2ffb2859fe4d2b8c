import { setTimeout as wait } from 'node:timers/promises';

const CHUNKS = 200;
const EVERY_MS = 5;

/** Says 200 pieces as a chat model would, one per 5 ms, the first with the instant at which it was said. No LangGraph. */
export const graph = {
  channels: { messages: {} },
  async stream(_input, { callbacks: [listener] = [] }) {
    const id = crypto.randomUUID();
    const began = performance.now();
    let text = '';
    listener?.handleChatModelStart({}, [], id, undefined, {}, [], { langgraph_checkpoint_ns: 'speak:1' });
    for (let at = 0; at < CHUNKS; at += 1) {
      const piece = at === 0 ? `${performance.timeOrigin + performance.now()} ` : `word${at} `;
      text += piece;
      listener?.handleLLMNewToken(piece, {}, id);
      await wait(began + (at + 1) * EVERY_MS - performance.now());
    }
    listener?.handleLLMEnd({}, id);
    const answer = { id: `run-${id}`, content: text, getType: () => 'ai' };
    return [
      ['updates', { speak: { messages: [answer] } }],
      ['values', { messages: [answer] }],
    ];
  },
};
