const message = (type, id, content) => ({ id, content, getType: () => type });

/** What a compiled graph looks like from outside, without LangGraph: what is left is the engine. */
export const graph = {
  channels: { messages: {} },
  async stream({ messages }) {
    const answer = message('ai', crypto.randomUUID(), `echo: ${messages.at(-1).content}`);
    return [
      ['updates', { answer: { messages: [answer] } }],
      ['values', { messages: [answer] }],
    ];
  },
};
