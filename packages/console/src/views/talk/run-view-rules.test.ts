import { expect, test } from 'vitest';
import { newRunView, type RunView, withEvent } from './run-view-rules.ts';

const after = (events: readonly (readonly [event: string, data: unknown])[]): RunView =>
  events.reduce(
    (view, [event, data], index) => withEvent(view, { id: String(index), event, data: JSON.stringify(data) }),
    newRunView,
  );

test('when pieces of a message come, then they are one message until a state has it', () => {
  const chunks = ['Good ', 'day'].map(
    (content) => ['messages|model:1', [{ id: 'm', type: 'ai', content }, {}]] as const,
  );
  expect(after(chunks).streamed).toMatchObject([{ id: 'm', content: 'Good day' }]);
  const ended = after([...chunks, ['values', { messages: [{ id: 'm', type: 'ai', content: 'Good day' }] }]]);
  expect([ended.streamed, ended.values]).toEqual([
    [],
    { messages: [{ id: 'm', type: 'ai', content: 'Good day' }] },
  ]);
});

test('when pieces are blocks, then texts and reasoning are joined, each with its own', () => {
  const piece = (block: object) => ['messages', [{ id: 'm', type: 'ai', content: [block] }, {}]] as const;
  const { streamed } = after([
    piece({ type: 'thinking', thinking: 'H', index: 0 }),
    piece({ type: 'thinking', thinking: 'm', index: 0 }),
    piece({ type: 'text', text: 'Y', index: 1 }),
    piece({ type: 'text', text: 'es', index: 1 }),
  ]);
  expect(streamed).toMatchObject([
    {
      content: [
        { type: 'thinking', thinking: 'Hm' },
        { type: 'text', text: 'Yes' },
      ],
    },
  ]);
});

test('when a call of a tool comes in pieces, then its arguments are joined', () => {
  const piece = (chunk: object) =>
    ['messages', [{ id: 'm', type: 'ai', content: '', tool_call_chunks: [chunk] }, {}]] as const;
  const { streamed } = after([
    piece({ index: 0, id: 'c', name: 'look', args: '{"a"' }),
    piece({ index: 0, args: ':1}' }),
  ]);
  expect(streamed).toMatchObject([{ tool_call_chunks: [{ id: 'c', name: 'look', args: '{"a":1}' }] }]);
});

test('when tasks begin and end, then the nodes that run are known by their paths', () => {
  const begun = after([
    ['tasks', { id: '1', name: 'research', input: {} }],
    ['tasks|research:1', { id: '2', name: 'search', input: {} }],
  ]);
  expect(Object.values(begun.running)).toEqual(['research', 'research:search']);
  const ended = withEvent(begun, {
    id: '',
    event: 'tasks|research:1',
    data: JSON.stringify({ id: '2', name: 'search', result: {} }),
  });
  expect([Object.values(ended.running), ended.done]).toEqual([['research'], { 'research:search': 1 }]);
});

test('when a graph asks, then the state stays', () => {
  const asked = { __interrupt__: [{ id: 'q', value: 'Sure?' }] };
  const view = after([
    ['values', { messages: [] }],
    ['values', asked],
  ]);
  expect(view.values).toEqual({ messages: [] });
});

test('when a run fails, then its error is told in a sentence', () => {
  expect(after([['error', { error: 'ValueError', message: 'no' }]]).fault).toBe('ValueError: no');
});
