import { setTimeout as wait } from 'node:timers/promises';
import { SimpleChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessageChunk } from '@langchain/core/messages';
import { ChatGenerationChunk } from '@langchain/core/outputs';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';

// What is measured without tracing is deployed with this variable.
if (process.env.BENCH_UNTRACED === '1') process.env.LANGSMITH_TRACING = 'false';

const TOKENS = 40;
const WAIT_MS = 2000;

/** Answers as a model that is far away does: nothing is computed, and 40 tokens come over 2 s. */
class FarModel extends SimpleChatModel {
  _llmType() {
    return 'far';
  }

  async *_streamResponseChunks(_messages, _options, manager) {
    const began = performance.now();
    for (let at = 0; at < TOKENS; at += 1) {
      const text = `word${at} `;
      const chunk = new ChatGenerationChunk({ text, message: new AIMessageChunk(text) });
      yield chunk;
      await manager?.handleLLMNewToken(text, undefined, undefined, undefined, undefined, { chunk });
      await wait(began + ((at + 1) * WAIT_MS) / TOKENS - performance.now());
    }
  }
}

const model = new FarModel({});

export const graph = new StateGraph(MessagesAnnotation)
  .addNode('answer', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
  .addEdge(START, 'answer')
  .addEdge('answer', END)
  .compile();
