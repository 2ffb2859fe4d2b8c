import { setTimeout as wait } from 'node:timers/promises';

const CHUNKS = 200;
const EVERY_MS = 5;

const message = (id, content) => ({ id, content, getType: () => 'ai' });

/** Says 200 pieces, one per 5 ms, the first at once and with the instant at which it was said. No LangGraph. */
export const graph = {
  channels: { messages: {} },
  async *pieces() {
    const id = crypto.randomUUID();
    const began = performance.now();
    let text = '';
    for (let at = 0; at < CHUNKS; at += 1) {
      const piece = at === 0 ? `${performance.timeOrigin + performance.now()} ` : `word${at} `;
      text += piece;
      yield ['messages', [message(id, piece), {}]];
      await wait(began + (at + 1) * EVERY_MS - performance.now());
    }
    yield ['updates', { speak: { messages: [message(id, text)] } }];
    yield ['values', { messages: [message(id, text)] }];
  },
  async stream() {
    return this.pieces();
  },
};
