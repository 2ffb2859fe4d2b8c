import { expect, test } from 'vitest';
import { isShowable, messagesIn } from './message-rules.ts';

const short = (value: unknown) =>
  messagesIn(value)?.map(({ role, parts, tool_calls }) => [
    role,
    ...parts.map((part) =>
      'text' in part ? part.text : 'url' in part ? `${part.kind} ${part.url}` : 'other',
    ),
    ...tool_calls.map(({ name, args }) => `${name} ${JSON.stringify(args)}`),
  ]);

const constructed = (kind: string, kwargs: object) => ({
  lc: 1,
  type: 'constructor',
  id: ['langchain_core', 'messages', kind],
  kwargs,
});

test.each([
  ['of OpenAI', { messages: [{ role: 'user', content: 'Hi' }] }, [['user', 'Hi']]],
  ['by type', { messages: [{ type: 'human', content: 'Hi' }] }, [['user', 'Hi']]],
  ['as pairs', { messages: [['human', 'Hi']] }, [['user', 'Hi']]],
  ['in batches', { messages: [[constructed('HumanMessage', { content: 'Hi' })]] }, [['user', 'Hi']]],
  [
    'as generations',
    { generations: [[{ text: 'Yes', message: constructed('AIMessage', { content: 'Yes' }) }]] },
    [['assistant', 'Yes']],
  ],
  [
    'as choices with calls',
    {
      choices: [
        {
          message: {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: '1', function: { name: 'look', arguments: '{"at":1}' } }],
          },
        },
      ],
    },
    [['assistant', 'look {"at":1}']],
  ],
  [
    'as blocks',
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Hm' },
        { type: 'text', text: 'So' },
        { type: 'tool_use', name: 'go', input: { to: 'x' } },
      ],
    },
    [['assistant', 'Hm', 'So', 'go {"to":"x"}']],
  ],
  [
    'with a picture',
    {
      messages: [
        { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } }] },
      ],
    },
    [['user', 'image data:image/png;base64,AA']],
  ],
])('when messages are written %s, then they are found', (_title, value, found) => {
  expect(short(value)).toEqual(found);
});

test.each([[{ question: 'x' }], [null], ['text'], [{ messages: [] }], [{ messages: [1] }]])(
  'when %j has no messages, then there are none',
  (value) => {
    expect(messagesIn(value)).toBeUndefined();
  },
);

test.each([
  ['data:image/png;base64,AA', true],
  ['data:audio/mpeg;base64,AA', true],
  ['data:image/svg+xml;base64,AA', false],
  ['data:text/html;base64,AA', false],
  ['https://elsewhere.example/a.png', false],
  ['javascript:alert(1)', false],
])('when a medium is %s, then it is shown: %s', (url, shown) => {
  expect(isShowable(url)).toBe(shown);
});
