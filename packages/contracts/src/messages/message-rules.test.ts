import { expect, test } from 'vitest';
import { messagesIn } from './message-rules.ts';

const user = { role: 'user', content: 'hi' };
const result = { role: 'tool', content: 'seen', tool_call_id: 'c' };
const call = { id: 'c', name: 'look', args: {} };

test.each<[string, unknown, unknown]>([
  ['OpenAI’s messages', { messages: [user] }, [user]],
  ['LangChain’s messages', { messages: [{ type: 'human', content: 'hi', id: 'h' }] }, [{ ...user, id: 'h' }]],
  [
    'serialised ones',
    { messages: [{ lc: 1, id: ['langchain', 'HumanMessage'], kwargs: { content: 'hi' } }] },
    [user],
  ],
  ['stored ones', [{ type: 'human', data: { content: 'hi' } }], [user]],
  ['pairs', { messages: [['human', 'hi']] }, [user]],
  ['texts', { messages: 'hi' }, [user]],
  ['a batch', { messages: [[user]] }, [user]],
  ['batches', { messages: [[user], [user]] }, [user, user]],
  ['an inner payload', { input: { messages: [user] } }, [user]],
  ['choices', { choices: [{ message: user }] }, [user]],
  ['generations of text', { generations: [[{ text: 'so' }]] }, [{ role: 'assistant', content: 'so' }]],
  [
    'calls that an older client lists elsewhere',
    [{ role: 'ai', content: null, tool_calls: [], additional_kwargs: { tool_calls: [call] } }],
    [{ role: 'assistant', content: '', tool_calls: [call] }],
  ],
  [
    'calls beside messages',
    [{ type: 'function_call', call_id: 'c', name: 'look', arguments: '{}' }],
    [{ role: 'assistant', content: '', tool_calls: [{ id: 'c', name: 'look', arguments: '{}' }] }],
  ],
  ['the result of a tool', [result], [result]],
  ['something else', { question: 'hi' }, undefined],
  ['documents', { input: [{ page_content: 'x', type: 'Document' }] }, undefined],
])('finds %s', (_what, payload, wanted) => {
  const found = messagesIn(payload, 'inputs');
  expect(found === undefined ? undefined : [...found]).toEqual(wanted);
});
