import { AIMessage, AIMessageChunk } from '@langchain/core/messages';
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { ChatGenerationChunk } from '@langchain/core/outputs';

/**
 * A chat model that needs no key: it answers by a few rules, always the same, and streams word by word. Put any
 * LangChain chat model in its place; the graph does not change.
 */
export class RuleModel extends BaseChatModel {
  _llmType() {
    return 'rules';
  }

  bindTools() {
    return this;
  }

  async _generate(messages) {
    const message = answer(messages);
    return { generations: [{ text: String(message.content), message }] };
  }

  async *_streamResponseChunks(messages, _options, runManager) {
    const message = answer(messages);
    if (message.tool_calls?.length > 0) {
      const tool_call_chunks = message.tool_calls.map((call, index) => ({
        index,
        id: call.id,
        name: call.name,
        args: JSON.stringify(call.args),
        type: 'tool_call_chunk',
      }));
      yield new ChatGenerationChunk({
        text: '',
        message: new AIMessageChunk({ content: '', tool_call_chunks }),
      });
      return;
    }
    for (const word of String(message.content).split(/(?<= )/)) {
      yield new ChatGenerationChunk({ text: word, message: new AIMessageChunk({ content: word }) });
      await runManager?.handleLLMNewToken(word);
    }
  }
}

function answer(messages) {
  const last = messages.at(-1);
  if (last?.getType() === 'tool') return new AIMessage(`I looked it up: ${last.content}`);
  const text = String(last?.content ?? '');
  const order = /order\D{0,5}(\d+)/i.exec(text)?.[1];
  if (order !== undefined) {
    return new AIMessage({
      content: '',
      tool_calls: [
        { id: `look-up-${messages.length}`, name: 'look_up_order', args: { order }, type: 'tool_call' },
      ],
    });
  }
  if (/what('s| is) my name/i.test(text)) {
    const name = nameIn(messages);
    return new AIMessage(
      name === undefined ? 'You have not told me your name yet.' : `Your name is ${name}.`,
    );
  }
  const introduced = nameIn([last]);
  if (introduced !== undefined) return new AIMessage(`Nice to meet you, ${introduced}. How can I help?`);
  const turns = messages.filter((message) => message.getType() === 'human').length;
  return new AIMessage(
    `You said "${text}". That was message ${turns} of our conversation; ask me about an order, such as "Where is my order 1042?"`,
  );
}

function nameIn(messages) {
  for (const message of messages.toReversed()) {
    const found =
      message?.getType() === 'human' && /my name is (\p{L}+)/iu.exec(String(message.content))?.[1];
    if (found) return found;
  }
  return undefined;
}
