import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Part } from '../../tasks/task.ts';
import { A2aFault, faultCodes } from '../rpc/a2a-fault.ts';
import type { Codec } from './codec.ts';
import { v03Codec } from './v03-codec.ts';
import { v10Codec } from './v10-codec.ts';
import { taskOf } from '../../testing/sample-task.ts';

/** Messages of clients, read in each version. */

const textPart = (text: string): Part => ({ kind: 'text', text });
const dataPart = (data: unknown): Part => ({ kind: 'data', data });

function nested(levels: number): unknown {
  return Array.from({ length: levels }).reduce<unknown>((inner) => ({ inner }), 1);
}

/** How a version writes the same thing. */
interface Dialect {
  readonly codec: Codec;
  readonly role: string;
  readonly text: (text: unknown) => object;
  readonly data: (data: unknown) => object;
  readonly file: (by: 'bytes' | 'uri', content: unknown) => object;
  readonly noWait: object;
  readonly push: object;
}
const dialects: readonly Dialect[] = [
  {
    codec: v03Codec,
    role: 'user',
    text: (text) => ({ kind: 'text', text }),
    data: (data) => ({ kind: 'data', data }),
    file: (by, content) => ({
      kind: 'file',
      file: { [by]: content, name: 'a.png', mimeType: 'image/png' },
    }),
    noWait: { blocking: false },
    push: { pushNotificationConfig: { url: 'https://example.com' } },
  },
  {
    codec: v10Codec,
    role: 'ROLE_USER',
    text: (text) => ({ text }),
    data: (data) => ({ data }),
    file: (by, content) => ({
      [by === 'uri' ? 'url' : 'raw']: content,
      filename: 'a.png',
      mediaType: 'image/png',
    }),
    noWait: { returnImmediately: true },
    push: { taskPushNotificationConfig: { url: 'https://example.com' } },
  },
];

describe.each(dialects)('A2A $codec.version, decoding', (dialect) => {
  const { codec, role, text, data } = dialect;
  const message = (more: object = {}) => ({ role, messageId: 'm', parts: [text('hi')], ...more });
  const codeOf = (params: unknown): number | undefined => {
    try {
      codec.decodeSend(params);
      return undefined;
    } catch (error) {
      if (error instanceof A2aFault) return faultCodes[error.reason];
      throw error;
    }
  };

  test('when a message has every field, then all of it is read', () => {
    const sent = message({
      parts: [{ ...text('hi'), metadata: { a: 1 } }, data({ b: [2] })],
      contextId: 'c',
      taskId: 't',
      referenceTaskIds: ['r'],
      metadata: { m: true },
      extensions: ['x'],
      unknown: 1,
    });
    const settings = { ...dialect.noWait, historyLength: 3, acceptedOutputModes: ['text/plain'] };
    expect(
      codec.decodeSend({ message: sent, configuration: settings, metadata: { p: 1 }, other: {} }),
    ).toEqual({
      incoming: {
        message: {
          message_id: 'm',
          role: 'user',
          parts: [
            { kind: 'text', text: 'hi', metadata: { a: 1 } },
            { kind: 'data', data: { b: [2] } },
          ],
          reference_task_ids: ['r'],
          metadata: { m: true },
        },
        context_id: 'c',
        task_id: 't',
      },
      wait: false,
      history_length: 3,
      accepted_output_modes: ['text/plain'],
      metadata: { p: 1 },
    });
  });

  test('when a message has the least, then it is read, null standing for absent', () => {
    const least = {
      incoming: { message: { message_id: 'm', role: 'user', parts: [{ kind: 'text', text: 'hi' }] } },
      wait: true,
      metadata: {},
    };
    expect(codec.decodeSend({ message: message() })).toEqual(least);
    const nulls = { contextId: null, taskId: null, referenceTaskIds: null, metadata: null };
    expect(codec.decodeSend({ message: message(nulls), configuration: null, metadata: null })).toEqual(least);
  });

  test('when a message comes with a push config, then it is read', () => {
    const { push } = codec.decodeSend({ message: message(), configuration: dialect.push });
    expect(push?.url).toMatch(/^https:/);
  });

  test.for<[string, unknown]>([
    ['no params', undefined],
    ['params in a list', []],
    ['params as text', 'x'],
    ['no message', {}],
    ['a message as text', { message: 'hi' }],
    ['no role', { message: message({ role: undefined }) }],
    ['the agent’s role', { message: message({ role: role === 'user' ? 'agent' : 'ROLE_AGENT' }) }],
    ['the other version’s role', { message: message({ role: role === 'user' ? 'ROLE_USER' : 'user' }) }],
    ['no messageId', { message: message({ messageId: undefined }) }],
    ['an empty messageId', { message: message({ messageId: '' }) }],
    ['a numeric messageId', { message: message({ messageId: 1 }) }],
    ['a messageId of 257 characters', { message: message({ messageId: 'm'.repeat(257) }) }],
    ['a messageId with a line break', { message: message({ messageId: 'a\nb' }) }],
    ['a contextId with NUL', { message: message({ contextId: 'a\0' }) }],
    ['a contextId with half a pair', { message: message({ contextId: '\ud800' }) }],
    ['a taskId that is a list', { message: message({ taskId: [] }) }],
    ['no parts', { message: message({ parts: undefined }) }],
    ['empty parts', { message: message({ parts: [] }) }],
    ['101 parts', { message: message({ parts: Array.from({ length: 101 }, () => text('a')) }) }],
    ['a part as text', { message: message({ parts: ['hi'] }) }],
    ['an empty part', { message: message({ parts: [{}] }) }],
    ['a numeric text', { message: message({ parts: [text(1)] }) }],
    ['text with NUL', { message: message({ parts: [text('a\0b')] }) }],
    ['data with NUL inside', { message: message({ parts: [data({ a: [{ 'b\0': 1 }] })] }) }],
    ['data of 101 levels', { message: message({ parts: [data(nested(101))] }) }],
    ['metadata as a list', { message: message(), metadata: [] }],
    ['references as text', { message: message({ referenceTaskIds: 'r' }) }],
    ['a numeric reference', { message: message({ referenceTaskIds: [1] }) }],
    ['a negative historyLength', { message: message(), configuration: { historyLength: -1 } }],
    ['a broken historyLength', { message: message(), configuration: { historyLength: 1.5 } }],
    ['historyLength as text', { message: message(), configuration: { historyLength: '1' } }],
    ['modes as text', { message: message(), configuration: { acceptedOutputModes: 'text' } }],
    ['configuration as a list', { message: message(), configuration: [] }],
    ['blocking as text', { message: message(), configuration: { blocking: 'no', returnImmediately: 'no' } }],
  ])('when a call has %s, then it is refused with -32602', ([, params]) => {
    expect(codeOf(params)).toBe(-32_602);
  });

  test.for([
    ['bytes', 'aGk', 'aGk='],
    ['bytes', 'aGk=', 'aGk='],
    ['bytes', '-_8', '+/8='],
    ['uri', 'https://example.com/a.png', 'https://example.com/a.png'],
  ] as const)('when a file comes by %s as %s, then it is kept in standard form', ([by, sent, kept]) => {
    const { incoming } = codec.decodeSend({ message: message({ parts: [dialect.file(by, sent)] }) });
    expect(incoming.message.parts).toEqual([
      { kind: 'file', file: { [by]: kept }, name: 'a.png', media_type: 'image/png' },
    ]);
  });

  test.for([
    ['bytes', 'a b'],
    ['bytes', 'abcde'],
    ['bytes', 'a=bc'],
    ['bytes', 7],
    ['uri', 'a.png'],
    ['uri', `https://example.com/${'a'.repeat(8192)}`],
    ['uri', ''],
  ] as const)('when a file comes by %s as %s, then it is refused with -32602', ([by, sent]) => {
    expect(codeOf({ message: message({ parts: [dialect.file(by, sent)] }) })).toBe(-32_602);
  });

  test('when a message is as large as the limits allow, then it is taken: 100 parts, 100 levels', () => {
    const id = '漢'.repeat(256);
    const parts = [...Array.from({ length: 99 }, () => text('a')), data(nested(100))];
    expect(codeOf({ message: message({ messageId: id, contextId: id, taskId: id, parts }) })).toBeUndefined();
  });

  test('when a field is wrong, then the fault names it and never what was sent', () => {
    const secret = 'hunter2';
    expect(() => codec.decodeSend({ message: message({ role: secret }) })).toThrow(/^message\.role: must be/);
    expect(() => codec.decodeSend({ message: message({ role: secret }) })).not.toThrow(secret);
  });

  test('when tasks/get comes, then its fields are read, and wrong ones are refused', () => {
    expect(codec.decodeGet({ id: 't', historyLength: 0, contextId: 'c', metadata: {} })).toEqual({
      task_id: 't',
      context_id: 'c',
      history_length: 0,
    });
    for (const params of [undefined, {}, { id: '' }, { id: 3 }, { id: 't', historyLength: -1 }])
      expect(() => codec.decodeGet(params)).toThrow(A2aFault);
  });

  test('when a message is encoded, then it decodes to the same', () => {
    const json = fc
      .jsonValue({ maxDepth: 3 })
      .filter((value) => !/\\u(0000|d[89a-f])/i.test(JSON.stringify(value)));
    const clean = fc.string({ unit: 'grapheme' }).filter((value) => !value.includes('\0'));
    const part = fc.oneof(
      clean.map((value): Part => ({ kind: 'text', text: value })),
      json.map((value): Part => ({ kind: 'data', data: value })),
      fc
        .record({ bytes: fc.uint8Array(), name: clean, media_type: fc.constantFrom('image/png', 'a/b') })
        .map(({ bytes, name, media_type }): Part => {
          const file = { bytes: Buffer.from(bytes).toString('base64') };
          // An empty name is none.
          return { kind: 'file', file, ...(name === '' ? {} : { name }), media_type };
        }),
      fc.webUrl().map((uri): Part => ({ kind: 'file', file: { uri } })),
    );
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), (parts) => {
        const task = taskOf('working', parts);
        const wire = JSON.parse(JSON.stringify(codec.encodeTask(task))) as { history: object[] };
        const { incoming } = codec.decodeSend({ message: wire.history[0] });
        const back = incoming.message.parts.map((one) => {
          if (one.kind === 'file') return one;
          return one.kind === 'text' ? textPart(one.text) : dataPart(one.data);
        });
        expect(JSON.stringify(back)).toEqual(JSON.stringify(parts));
        expect([incoming.context_id, incoming.task_id]).toEqual([task.context_id, task.id]);
      }),
    );
  });
});

describe('A2A 1.0 alone', () => {
  const send = (more: object) =>
    v10Codec.decodeSend({ message: { role: 'ROLE_USER', messageId: 'm', parts: [{ text: 'a' }], ...more } });

  test('when an id is an empty text, then it counts as unset', () => {
    expect(send({ contextId: '', taskId: '' }).incoming).not.toHaveProperty('task_id');
  });
  test('when a part holds two contents, then it is refused, but null is none', () => {
    expect(() => send({ parts: [{ text: 'a', data: {} }] })).toThrow('exactly one');
    expect(send({ parts: [{ text: 'a', data: null, raw: null }] }).incoming.message.parts).toEqual([
      { kind: 'text', text: 'a' },
    ]);
    expect(send({ parts: [{ data: null }] }).incoming.message.parts).toEqual([{ kind: 'data', data: null }]);
  });
});
