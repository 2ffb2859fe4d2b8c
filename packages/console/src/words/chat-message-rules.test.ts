import { expect, test } from 'vitest';
import { chatMessageOf, isMessage, partsOf } from './chat-message-rules.ts';

const contents = [
  ['Hello', [{ kind: 'text', text: 'Hello' }]],
  ['', []],
  [[{ type: 'thinking', thinking: 'Hm' }], [{ kind: 'reasoning', text: 'Hm' }]],
  [[{ type: 'reasoning', summary: [{ text: 'Hm' }] }], [{ kind: 'reasoning', text: 'Hm' }]],
  [
    [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } }],
    [{ kind: 'image', url: 'data:image/png;base64,AA' }],
  ],
  [
    [{ type: 'image', source_type: 'base64', mime_type: 'image/jpeg', data: 'AA' }],
    [{ kind: 'image', url: 'data:image/jpeg;base64,AA' }],
  ],
  [
    [{ type: 'image', source: { type: 'base64', media_type: 'image/gif', data: 'AA' } }],
    [{ kind: 'image', url: 'data:image/gif;base64,AA' }],
  ],
  [
    [
      {
        type: 'file',
        source_type: 'base64',
        mime_type: 'application/pdf',
        data: 'AA',
        metadata: { filename: 'a.pdf' },
      },
    ],
    [{ kind: 'file', name: 'a.pdf', url: 'data:application/pdf;base64,AA' }],
  ],
  [
    [{ type: 'file', mime_type: 'text/html', data: 'PHA+SGk8L3A+', metadata: { filename: 'a.html' } }],
    [{ kind: 'html', html: '<p>Hi</p>', name: 'a.html' }],
  ],
  [[{ type: 'tool_use', name: 'x' }], []],
  [[{ type: 'unheard-of' }], [{ kind: 'value', value: { type: 'unheard-of' } }]],
] as const;

test.for(contents)('when content is %j, then its parts are read', ([content, parts]) => {
  expect(partsOf(content)).toEqual(parts);
});

test('when a message calls tools, then its calls are read in each way of writing them', () => {
  const call = { id: '1', name: 'look', args: { order: '7' } };
  const ways = [
    { type: 'ai', content: '', tool_calls: [call] },
    { type: 'AIMessageChunk', content: '', tool_call_chunks: [{ ...call, args: '{"order":"7"}' }] },
    {
      role: 'assistant',
      content: null,
      additional_kwargs: {
        tool_calls: [{ id: '1', function: { name: 'look', arguments: '{"order":"7"}' } }],
      },
    },
  ];
  expect(ways.map((way) => chatMessageOf(way))).toMatchObject(
    ways.map(() => ({ role: 'agent', calls: [call] })),
  );
});

test('when a value is no message, then it is not taken for one', () => {
  expect(
    [{ content: 'x' }, { type: 'human' }, 'x', null, { type: 'human', content: 'x' }].map(isMessage),
  ).toEqual([false, false, false, false, true]);
});

test('when a tool made a page beside its answer, then the page is a part of its message', () => {
  const artifact = [{ mime_type: 'text/html', text: '<p>Hi</p>' }, { rows: [1] }];
  const message = { type: 'tool', content: 'Made a page.', tool_call_id: 'a', artifact };
  expect(chatMessageOf(message).parts).toEqual([
    { kind: 'text', text: 'Made a page.' },
    { kind: 'html', html: '<p>Hi</p>', name: 'Page' },
  ]);
});
