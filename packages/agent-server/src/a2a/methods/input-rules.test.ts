import { describe, expect, test } from 'vitest';
import type { Part } from '../../tasks/task.ts';
import { answerOf, inputOf } from './input-rules.ts';
import { codeOf, data, message, taskIn, text } from '../../testing/a2a-values.ts';

const picture: Part = { kind: 'file', file: { bytes: 'aGk=' }, media_type: 'image/png', name: 'a.png' };

const chat = { graph_id: 'chat', description: null, channels: ['messages', 'city'], has_messages: true };
const plain = { graph_id: 'plain', description: null, channels: ['city', 'days'], has_messages: false };

describe('a graph’s input', () => {
  const human = (content: string, at = 0) => ({ role: 'user', content, id: `a2a:${at}:new` });
  test.for<[string, Part[], object]>([
    ['text', [text('hi')], { messages: [human('hi')] }],
    ['texts', [text('a'), text('b')], { messages: [human('a'), human('b', 1)] }],
    ['data', [data({ city: 'Rome' })], { city: 'Rome' }],
    [
      'data, later keys winning',
      [data({ city: 'Rome', a: 1 }), data({ city: 'Oslo' })],
      { city: 'Oslo', a: 1 },
    ],
    ['both', [data({ city: 'Rome' }), text('hi')], { city: 'Rome', messages: [human('hi')] }],
    [
      'files, in one message',
      [
        text('Look'),
        picture,
        data({ city: 'Rome' }),
        { kind: 'file', file: { uri: 'https://example.com/a.pdf' } },
      ],
      {
        city: 'Rome',
        messages: [
          {
            role: 'user',
            id: 'a2a:0:new',
            content: [
              { type: 'text', text: 'Look' },
              {
                type: 'image',
                source_type: 'base64',
                data: 'aGk=',
                mime_type: 'image/png',
                mimeType: 'image/png',
                metadata: { filename: 'a.png' },
              },
              { type: 'file', source_type: 'url', url: 'https://example.com/a.pdf' },
            ],
          },
        ],
      },
    ],
    ['messages in data too', [data({ messages: [1] }), text('b')], { messages: [1, human('b')] }],
  ])('when a message holds %s, then the graph’s input does, too', ([, parts, input]) => {
    expect(inputOf(message(...parts), { graph: chat, a2ui: false })).toEqual(input);
  });

  test.for<[string, Part[], typeof chat, number]>([
    ['text without messages', [text('hi')], plain, -32_602],
    ['a file without messages', [picture], plain, -32_602],
    ['text and data.messages that is no list', [data({ messages: 'x' }), text('hi')], chat, -32_602],
    ['an answer where nothing is asked', [data({ resume: 1 })], chat, -32_602],
    ['data that is no object', [data([1])], chat, -32_005],
  ])('when a message holds %s, then it is refused', ([, parts, graph, code]) => {
    expect(codeOf(() => inputOf(message(...parts), { graph, a2ui: false }))).toBe(code);
  });

  test('when a graph has no messages, then the fault names its fields; data alone needs none', () => {
    expect(() => inputOf(message(text('hi')), { graph: plain, a2ui: false })).toThrow('city, days');
    expect(inputOf(message(data({ city: 'Rome' })), { graph: plain, a2ui: false })).toEqual({ city: 'Rome' });
    expect(
      inputOf(message(data({ resume: 1 })), { graph: { ...plain, channels: ['resume'] }, a2ui: false }),
    ).toEqual({ resume: 1 });
  });

  test('when a key is called __proto__, then it is a key like any other', () => {
    const evil = JSON.parse('{"__proto__": {"admin": true}}') as object;
    const input = inputOf(message(data(evil), data({ city: 'Rome' })), { graph: chat, a2ui: false });
    expect(Object.getPrototypeOf(input)).toBe(Object.prototype);
    expect((input as { admin?: boolean }).admin).toBeUndefined();
  });
});

describe('an answer to an interrupt', () => {
  const asking = taskIn('input-required', {
    status: {
      state: 'input-required',
      at: '',
      message: { message_id: 'q', role: 'agent', parts: [text('Sure?')], metadata: { interrupt_id: 'i1' } },
    },
  });
  test.for<[string, Part[], unknown]>([
    ['text', [text('yes')], 'yes'],
    ['texts', [text('a'), text('b')], 'a\nb'],
    ['empty text', [text('')], ''],
    [
      'a file',
      [{ kind: 'file', file: { uri: 'https://example.com/a' } }],
      [{ type: 'file', source_type: 'url', url: 'https://example.com/a' }],
    ],
    ['a value', [data({ resume: { approved: true } })], { approved: true }],
    ['null', [data({ resume: null })], null],
    ['a list', [data({ resume: [1, 2] })], [1, 2]],
    ['an empty list', [data({ resume: [] })], []],
    [
      'a list of things with an id',
      [data({ resume: [{ id: 'i1', value: 2, more: 1 }] })],
      [{ id: 'i1', value: 2, more: 1 }],
    ],
    ['by id', [data({ resume: [{ id: 'i1', value: 2 }] })], 2],
  ])('when the answer is %s, then the interrupt gets it', ([, parts, value]) => {
    expect(answerOf(message(...parts), asking)).toEqual(value);
  });

  test.for<[string, Part[]]>([
    ['an update of the state', [data({ update: { messages: [] } })]],
    ['a jump', [data({ resume: 1, goto: 'end' })]],
    ['a command', [data({ command: { resume: 1 } })]],
    ['other data', [data({ city: 'Rome' })]],
    ['data that is no object', [data('yes')]],
    ['text and data', [text('yes'), data({ resume: 1 })]],
    ['two data parts', [data({ resume: 1 }), data({ resume: 2 })]],
    [
      'two answers',
      [
        data({
          resume: [
            { id: 'i1', value: 1 },
            { id: 'i2', value: 2 },
          ],
        }),
      ],
    ],
    ['an answer to another question', [data({ resume: [{ id: 'i2', value: 1 }] })]],
  ])('when the answer is %s, then it is refused', ([, parts]) => {
    expect(codeOf(() => answerOf(message(...parts), asking))).toBe(-32_602);
  });
});
