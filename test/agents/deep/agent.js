import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage } from '@langchain/core/messages';
import { createDeepAgent } from 'deepagents';

const call = { id: 'note', name: 'write_file', args: { file_path: '/note.txt', content: 'It is calm.' } };

/** Stands for a model: writes a file at first, and says how often it was asked. */
class Scripted extends BaseChatModel {
  _llmType() {
    return 'scripted';
  }

  bindTools() {
    return this;
  }

  async _generate(messages) {
    const turns = messages.filter((message) => message.getType() === 'human').length;
    const isDone = messages.some((message) => message.getType() === 'tool');
    const message = isDone
      ? new AIMessage(`Asked ${turns} times.`)
      : new AIMessage({ content: '', tool_calls: [call] });
    return { generations: [{ text: message.text, message }] };
  }
}

export const graph = createDeepAgent({ model: new Scripted({}) });
