import { expect, it } from 'vitest';
import { messagesIn } from './message-rules.ts';

const lc = (id: string, kwargs: object) => ({ lc: 1, type: 'constructor', id: ['langchain', id], kwargs });

it.each([
  [{ messages: [{ role: 'user', content: 'hi' }] }, ['person: hi']],
  [
    { messages: [[lc('HumanMessage', { content: 'hi' }), lc('AIMessageChunk', { content: 'yes' })]] },
    ['person: hi', 'agent: yes'],
  ],
  [{ choices: [{ message: { role: 'assistant', content: 'yes' } }] }, ['agent: yes']],
  [{ generations: [[{ message: lc('AIMessage', { content: 'yes', type: 'ai' }) }]] }, ['agent: yes']],
  [
    { output: { type: 'ai', content: [{ type: 'text', text: 'a' }, { type: 'image_url' }] } },
    ['agent: a\n[image_url]'],
  ],
])('when values hold messages as %j, then they are read', (value, lines) => {
  expect(messagesIn(value)?.map(({ role, text }) => `${role}: ${text}`)).toEqual(lines);
});

it('when an agent calls tools, then their names and arguments are read in both spellings', () => {
  const tool_calls = [{ name: 'search', args: { q: 1 } }, { function: { name: 'find', arguments: '{}' } }];
  expect(messagesIn([{ role: 'assistant', content: null, tool_calls }])).toEqual([
    {
      role: 'agent',
      text: '',
      calls: [
        { name: 'search', args: { q: 1 } },
        { name: 'find', args: '{}' },
      ],
    },
  ]);
});

it.each([
  [{ question: 'a' }],
  [{ messages: [] }],
  [{ messages: ['a'] }],
  ['text'],
  [null],
  [{ output: 'x' }],
])('when %j holds no messages, then it stays JSON', (value) => {
  expect(messagesIn(value)).toBeUndefined();
});
