import { expect, test } from 'vitest';
import { contentOf } from './attachment-rules.ts';
import { sampleInput, takesMessages } from './input-rules.ts';

const schema = {
  properties: { topic: { type: 'string' }, count: { type: 'integer', default: 3 }, more: { anyOf: [] } },
};

test('when a graph has no messages, then its input begins with its fields, empty', () => {
  expect([
    takesMessages(schema),
    takesMessages({ properties: { messages: {} } }),
    takesMessages(null),
  ]).toEqual([false, true, true]);
  expect(sampleInput(schema)).toEqual({ topic: '', count: 3, more: null });
});

const file = (name: string, type: string) => ({ name, type, size: 2, data: 'AA' });

test('when files come with a message, then each is a block of its kind', () => {
  expect(contentOf('Look', [])).toBe('Look');
  expect(
    contentOf('Look', [
      file('a.png', 'image/png'),
      file('a.pdf', 'application/pdf'),
      file('a.csv', 'text/csv'),
    ]),
  ).toEqual([
    { type: 'text', text: 'Look' },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } },
    {
      type: 'file',
      source_type: 'base64',
      mime_type: 'application/pdf',
      data: 'AA',
      metadata: { filename: 'a.pdf' },
    },
    { type: 'text', text: 'a.csv:\n\nAA' },
  ]);
});
