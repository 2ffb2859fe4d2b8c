import { expect, test } from 'vitest';
import { createMessageFold } from './message-fold.ts';
import type { Fields } from './protocol-event.ts';

const metadata = { langgraph_node: 'agent' };
const namespace = ['agent:1'];
const piece = (message: Fields) => ({
  namespace,
  metadata,
  message: { id: 'm', type: 'AIMessageChunk', ...message },
});
const kinds = (parts: readonly { readonly data: Fields }[]) => parts.map(({ data }) => data['event']);

test('when a tool call comes in pieces, then it is whole at the end', () => {
  const { of, finish } = createMessageFold();
  of(piece({ content: 'Let me see.' }));
  of(piece({ content: '', tool_call_chunks: [{ index: 0, id: 'c', name: 'add', args: '{"a":' }] }));
  const [more] = of(piece({ content: '', tool_call_chunks: [{ index: 0, args: '1}' }] }));
  expect(more?.data).toMatchObject({
    event: 'content-block-delta',
    index: 1,
    delta: {
      type: 'block-delta',
      fields: { type: 'tool_call_chunk', id: 'c', name: 'add', args: '{"a":1}' },
    },
  });
  const parts = finish({ namespace });
  expect(kinds(parts)).toEqual(['content-block-finish', 'content-block-finish', 'message-finish']);
  expect(parts[1]?.data['content']).toEqual({ type: 'tool_call', id: 'c', name: 'add', args: { a: 1 } });
});

test('when arguments can’t be read, then they are said to be invalid', () => {
  const { of, finish } = createMessageFold();
  of(piece({ content: '', tool_call_chunks: [{ index: 0, id: 'c', name: 'add', args: '{"a":' }] }));
  expect(finish()[0]?.data['content']).toMatchObject({ type: 'invalid_tool_call', args: '{"a":' });
});

test('when a message was said in pieces, then it is not told again as a whole', () => {
  const { of, finish } = createMessageFold();
  of(piece({ content: 'a' }));
  finish({ namespace });
  expect(of({ namespace, metadata, message: { id: 'm', type: 'ai', content: 'a' } })).toEqual([]);
});

test('when a tool says something, then it is no message of a model', () => {
  const { of } = createMessageFold();
  expect(of({ namespace, metadata, message: { id: 't', type: 'tool', content: '5' } })).toEqual([]);
});

test('when usage comes, then it is told at the end', () => {
  const { of, finish } = createMessageFold();
  of(piece({ content: 'a' }));
  of(piece({ content: '', usage_metadata: { total_tokens: 7 } }));
  expect(finish().at(-1)?.data).toMatchObject({ event: 'message-finish', usage: { total_tokens: 7 } });
});
