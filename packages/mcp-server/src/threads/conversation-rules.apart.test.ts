import { TimeSlice } from '@roadstead/kit';
import { longestHold, MOST_HELD_MS } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { ThreadConversation, type Turn } from './conversation-rules.ts';

const lc = (kind: string, content: unknown, id: string) => ({
  lc: 1,
  type: 'constructor',
  id: ['langchain_core', 'messages', kind],
  kwargs: { content, id },
});
const user = (content: string, id?: string) => ({ role: 'user', content, ...(id ? { id } : {}) });
const bot = (content: string, id?: string) => ({ role: 'assistant', content, ...(id ? { id } : {}) });
const conversationOf = (turns: readonly Turn[]) => {
  const conversation = new ThreadConversation();
  for (const turn of turns) for (const _pause of conversation.add(turn));
  return conversation;
};
const read = (turns: readonly Turn[]) => conversationOf(turns).messages;
const said = (turns: readonly Turn[]) => read(turns).map(({ role, content }) => [role, content]);
const turn = (at: number, inputs: unknown, outputs: unknown): Turn => ({
  trace_id: `t${at}`,
  inputs: { messages: inputs },
  outputs: { messages: outputs },
});

test('when a state repeats the conversation, then each message counts once, in its first turn', () => {
  const first = [lc('HumanMessage', 'one', 'h1'), lc('AIMessage', 'eins', 'a1')];
  const second = [...first, lc('HumanMessage', 'two', 'h2'), lc('AIMessage', 'zwei', 'a2')];
  const turns = [turn(1, [user('one', 'h1')], first), turn(2, [user('two', 'h2')], second)];
  expect(said(turns)).toEqual([
    ['user', 'one'],
    ['assistant', 'eins'],
    ['user', 'two'],
    ['assistant', 'zwei'],
  ]);
  expect(read(turns).map(({ trace_id }) => trace_id)).toEqual(['t1', 't1', 't2', 't2']);
});

test.each<[string, Turn[]]>([
  ['answers only, without ids', [turn(1, [user('go')], [bot('ok')]), turn(2, [user('go')], [bot('ok')])]],
  [
    'whole states, with ids',
    [
      turn(1, [user('go')], [user('go', 'h1'), bot('ok', 'a1')]),
      turn(2, [user('go')], [user('go', 'h1'), bot('ok', 'a1'), user('go', 'h2'), bot('ok', 'a2')]),
    ],
  ],
  [
    'whole states, without ids',
    [
      turn(1, [user('go')], [user('go'), bot('ok')]),
      turn(2, [user('go')], [user('go'), bot('ok'), user('go'), bot('ok')]),
    ],
  ],
  [
    'the conversation sent along each time',
    [turn(1, [user('go')], [bot('ok')]), turn(2, [user('go'), bot('ok'), user('go')], [bot('ok')])],
  ],
])('when the same is said twice, then it is told twice: %s', (_name, turns) => {
  expect(said(turns)).toEqual([
    ['user', 'go'],
    ['assistant', 'ok'],
    ['user', 'go'],
    ['assistant', 'ok'],
  ]);
});

test('when an answer is repeated within a turn, then it is shown as often as it was given', () => {
  const state = [user('go', 'h1'), bot('ok', 'a1'), bot('ok', 'a2')];
  expect(said([turn(1, [user('go')], state)])).toEqual([
    ['user', 'go'],
    ['assistant', 'ok'],
    ['assistant', 'ok'],
  ]);
});

test.each([
  ['OpenAI', { messages: [user('hi')] }, { choices: [{ message: { role: 'assistant', content: 'ho' } }] }],
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
    { input: { messages: [user('hi')] } },
    { generations: [[{ message: lc('AIMessage', 'ho', 'x') }]] },
  ],
])('when messages are those of %s, then they are read', (_name, inputs, outputs) => {
  expect(said([{ trace_id: 't', inputs, outputs }])).toEqual([
    ['user', 'hi'],
    ['assistant', 'ho'],
  ]);
});

test('when tools are called, then calls and results keep their names', () => {
  const call = { id: 'c1', name: 'look', args: { at: 'x' } };
  const state = [
    user('go', 'h1'),
    { ...bot('', 'a1'), tool_calls: [call] },
    { role: 'tool', content: 'seen', name: 'look', tool_call_id: 'c1', id: 't1' },
    bot('done', 'a2'),
  ];
  expect(read([turn(1, [user('go')], state)])).toMatchObject([
    { role: 'user' },
    { role: 'assistant', tool_calls: [call] },
    { role: 'tool', content: 'seen', name: 'look' },
    { role: 'assistant', content: 'done' },
  ]);
});

const look = { id: 'c1', name: 'look', args: { at: 'x' } };

test.each<[string, unknown[]]>([
  [
    'OpenTelemetry',
    [
      { role: 'user', parts: [{ type: 'text', content: 'go' }] },
      { role: 'assistant', parts: [{ type: 'tool_call', id: 'c1', name: 'look', arguments: { at: 'x' } }] },
      { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', response: { sky: 'blue' } }] },
      {
        role: 'assistant',
        parts: [
          { type: 'reasoning', content: 'hm' },
          { type: 'text', content: 'done' },
        ],
      },
    ],
  ],
  [
    'the AI SDK',
    [
      { role: 'user', content: [{ type: 'text', text: 'go' }] },
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'look', input: '{"at":"x"}' }],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'c1', output: { type: 'json', value: { sky: 'blue' } } },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'hm' },
          { type: 'text', text: 'done' },
        ],
      },
    ],
  ],
  [
    'the AI SDK’s answer',
    [
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ toolCallId: 'c1', toolName: 'look', args: '{"at":"x"}' }],
      },
      { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c1', result: { sky: 'blue' } }] },
      { role: 'assistant', content: 'done' },
    ],
  ],
])(
  'when tools are called in the form of %s, then messages, calls and answers are read',
  (_name, messages) => {
    expect(read([turn(1, messages, [])])).toMatchObject([
      { role: 'user', content: 'go' },
      { role: 'assistant', content: '', tool_calls: [look] },
      { role: 'tool', content: '{"sky":"blue"}' },
      { role: 'assistant', content: 'done' },
    ]);
  },
);

test('when an agent has no messages, then it is quoted; an empty turn has no text', () => {
  expect(said([{ trace_id: 't', inputs: { question: 'hi' }, outputs: { score: 1 } }])).toEqual([
    ['user', 'hi'],
    ['assistant', '{"score":1}'],
  ]);
  expect(said([{ trace_id: 't', inputs: null, outputs: {} }])).toEqual([]);
});

const messages = (count: number) =>
  Array.from({ length: count }, (_, at) => (at % 2 === 0 ? user('go') : bot('ok')));

test.each<[string, Turn[], number]>([
  [
    'whole states, without ids',
    [10, 16_000, 16_002].map((count, at) => turn(at, [user('go')], messages(count))),
    16_002,
  ],
  [
    'whole states of one text, with ids',
    [8000, 16_000].map((count, at) =>
      turn(
        at,
        [],
        Array.from({ length: count }, (_, index) => user('x', `m${index}`)),
      ),
    ),
    16_000,
  ],
  [
    'one text with other ids each time',
    [0, 1].map((at) =>
      turn(
        at,
        [],
        Array.from({ length: 8000 }, (_, index) => user('x', `${at}-${index}`)),
      ),
    ),
    16_000,
  ],
  [
    'many turns of a message',
    Array.from({ length: 4000 }, (_, at) => turn(at, [user(`${at}`)], [bot('ok')])),
    8000,
  ],
])('when the same is said very often, then it holds nobody up: %s', async (_name, turns, count) => {
  const conversation = new ThreadConversation();
  const slice = new TimeSlice();
  const hold = await longestHold(async () => {
    for (const one of turns)
      for (const _pause of conversation.add(one)) if (slice.isOver()) await slice.next();
  });
  expect(conversation.messages).toHaveLength(count);
  expect(hold).toBeLessThan(MOST_HELD_MS);
});

test('when a payload holds too many messages, then it is cut, and known to be', () => {
  const conversation = conversationOf([turn(1, [], messages(20_100))]);
  expect(conversation.messages).toHaveLength(20_000);
  expect(conversation.isFull).toBe(true);
});
