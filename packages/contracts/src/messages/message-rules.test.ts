import { expect, test } from 'vitest';
import { messagesIn } from './message-rules.ts';

const user = { role: 'user', content: 'hi' };
const result = { role: 'tool', content: 'seen', tool_call_id: 'c' };
const inParts = { id: 'c', name: 'look', arguments: { at: 'x' } };
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
  [
    'parts of OpenTelemetry',
    {
      messages: [
        { role: 'system', parts: [{ type: 'text', content: 'Be brief.' }] },
        { role: 'user', parts: [{ type: 'text', content: 'hi' }] },
        {
          role: 'assistant',
          parts: [
            { type: 'reasoning', content: 'hm' },
            { type: 'text', content: 'let me see' },
            { type: 'tool_call', ...inParts },
          ],
          finish_reason: 'tool_call',
        },
        { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c', response: 'seen' }] },
      ],
    },
    [
      { role: 'system', content: 'Be brief.' },
      user,
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'hm' },
          { type: 'text', text: 'let me see' },
        ],
        tool_calls: [{ type: 'tool_call', ...inParts }],
      },
      result,
    ],
  ],
  [
    'answers of tools in messages of users and assistants',
    [
      { role: 'user', parts: [{ type: 'tool_call_response', id: 'c', result: 'seen' }] },
      {
        role: 'assistant',
        parts: [
          { type: 'tool_call', ...inParts },
          { type: 'tool_call_response', id: 'c', response: { a: 1 } },
        ],
      },
    ],
    [
      result,
      { role: 'assistant', content: '', tool_calls: [{ type: 'tool_call', ...inParts }] },
      { role: 'tool', content: { a: 1 }, tool_call_id: 'c' },
    ],
  ],
  [
    'parts of Gemini',
    [
      { role: 'user', parts: [{ text: 'hi' }] },
      { role: 'model', parts: [{ functionCall: { name: 'look', args: {} } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'look', response: { a: 1 } } }] },
    ],
    [
      user,
      { role: 'assistant', content: '', tool_calls: [{ name: 'look', args: {} }] },
      { role: 'tool', content: { a: 1 }, name: 'look' },
    ],
  ],
  [
    'parts of the AI SDK and of A2A',
    [
      { id: 'm', role: 'user', parts: [{ kind: 'text', text: 'hi' }] },
      {
        role: 'assistant',
        parts: [
          { type: 'tool-look', toolCallId: 'c', input: {}, output: 'seen' },
          { type: 'text', text: 'so' },
          { type: 'file', url: 'x' },
        ],
      },
    ],
    [
      { ...user, id: 'm' },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'so' },
          { type: 'file', url: 'x' },
        ],
        tool_calls: [{ name: 'look', type: 'tool-look', toolCallId: 'c', input: {}, output: 'seen' }],
      },
      { ...result, name: 'look' },
    ],
  ],
  ['parts of nobody', [{ parts: [{ type: 'text', content: 'hi' }] }], undefined],
  ['something else', { question: 'hi' }, undefined],
  ['documents', { input: [{ page_content: 'x', type: 'Document' }] }, undefined],
])('when a payload holds %s, then its messages are found, if it has any', (_what, payload, wanted) => {
  const found = messagesIn(payload, 'inputs');
  expect(found === undefined ? undefined : [...found]).toEqual(wanted);
});
