import { expect, test } from 'vitest';
import { threadMessages, type Turn } from './thread-messages-rules.ts';

const lc = (kind: string, content: unknown, id: string) => ({
  lc: 1,
  type: 'constructor',
  id: ['langchain_core', 'messages', kind],
  kwargs: { content, id },
});
const said = (turns: readonly Turn[]) => threadMessages(turns).map(({ role, content }) => [role, content]);

test('a state repeats the conversation; each message counts once, in order', () => {
  const first = [lc('HumanMessage', 'one', 'h1'), lc('AIMessage', 'eins', 'a1')];
  const second = [...first, lc('HumanMessage', 'two', 'h2'), lc('AIMessage', 'zwei', 'a2')];
  const turns = [
    {
      trace_id: 't1',
      inputs: { messages: [{ role: 'user', content: 'one', id: 'h1' }] },
      outputs: { messages: first },
    },
    {
      trace_id: 't2',
      inputs: { messages: [{ role: 'user', content: 'two', id: 'h2' }] },
      outputs: { messages: second },
    },
  ];
  expect(said(turns)).toEqual([
    ['user', 'one'],
    ['assistant', 'eins'],
    ['user', 'two'],
    ['assistant', 'zwei'],
  ]);
  expect(threadMessages(turns).map(({ trace_id }) => trace_id)).toEqual(['t1', 't1', 't2', 't2']);
});

test.each([
  [
    'OpenAI',
    { messages: [{ role: 'user', content: 'hi' }] },
    { choices: [{ message: { role: 'assistant', content: 'ho' } }] },
  ],
  [
    'plain LangChain',
    { messages: [{ type: 'human', content: 'hi' }] },
    { messages: [{ type: 'ai', data: { content: 'ho' } }] },
  ],
  [
    'content blocks',
    { messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }] },
    { message: { role: 'assistant', content: [{ type: 'text', text: 'ho' }] } },
  ],
  [
    'generations',
    { input: { messages: [{ role: 'user', content: 'hi' }] } },
    { generations: [[{ message: lc('AIMessage', 'ho', 'x') }]] },
  ],
])('messages of %s', (_name, inputs, outputs) => {
  expect(said([{ trace_id: 't', inputs, outputs }])).toEqual([
    ['user', 'hi'],
    ['assistant', 'ho'],
  ]);
});

test('what holds no messages gives none', () => {
  expect(said([{ trace_id: 't', inputs: { question: 'hi' }, outputs: null }])).toEqual([]);
});
