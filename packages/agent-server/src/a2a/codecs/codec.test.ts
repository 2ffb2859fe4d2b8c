import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Part, Task, TaskEvent, TaskState } from '../../tasks/task.ts';
import { A2aFault, faultCodes, type FaultReason } from '../rpc/a2a-fault.ts';
import type { Codec } from './codec.ts';
import { encodePage } from './list-codec.ts';
import { pushCodecs } from './push-codec.ts';
import { v03Codec } from './v03-codec.ts';
import { v10Codec } from './v10-codec.ts';

/** What each version calls the same thing. */
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

test('when a task is a message and nothing else, then the answer is that message', () => {
  const only = { artifact_id: 'a', parts: [{ kind: 'text', text: 'yes' }], by_itself: true } as const;
  const task: Task = { ...taskOf('completed', []), artifacts: [only] };
  const said = { messageId: 'a', contextId: task.context_id };
  expect(v03Codec.encodeAnswer(task)).toEqual({
    kind: 'message',
    role: 'agent',
    parts: [{ kind: 'text', text: 'yes' }],
    ...said,
  });
  expect(v10Codec.encodeAnswer(task)).toEqual({
    message: { role: 'ROLE_AGENT', parts: [{ text: 'yes' }], ...said },
  });
  expect(v10Codec.encodeAnswer({ ...task, artifacts: [only, only] })).toBeUndefined();
  expect(
    v10Codec.encodeAnswer({ ...task, status: { ...task.status, state: 'input-required' } }),
  ).toBeUndefined();
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

describe('A2A 0.3 alone', () => {
  const send = (parts: unknown) => v03Codec.decodeSend({ message: { role: 'user', messageId: 'm', parts } });

  test.for([
    [{ kind: 'data', data: [] }],
    [{ kind: 'data', data: 'x' }],
    [{ kind: 'data' }],
    [{ kind: 'audio' }],
  ])('when a part is %j, then it is refused', (parts) => {
    expect(() => send([parts].flat())).toThrow(A2aFault);
  });
  test('when data is no object, then it travels wrapped', () => {
    const wrapped = { kind: 'data', data: { value: [1] }, metadata: { data_part_compat: true } };
    expect(v03Codec.encodeTask(taskOf('working', [{ kind: 'data', data: [1] }]))).toMatchObject({
      history: [{ parts: [wrapped] }],
    });
    expect(send([wrapped]).incoming.message.parts).toMatchObject([{ kind: 'data', data: [1] }]);
  });
});

const states: readonly [TaskState, string, boolean][] = [
  ['submitted', 'TASK_STATE_SUBMITTED', false],
  ['working', 'TASK_STATE_WORKING', false],
  ['completed', 'TASK_STATE_COMPLETED', true],
  ['failed', 'TASK_STATE_FAILED', true],
  ['canceled', 'TASK_STATE_CANCELED', true],
  ['rejected', 'TASK_STATE_REJECTED', true],
  ['input-required', 'TASK_STATE_INPUT_REQUIRED', true],
  ['auth-required', 'TASK_STATE_AUTH_REQUIRED', true],
];

describe('encoding', () => {
  test.for(states)(
    'when the state is %s, then each version says it in its own word',
    ([state, v10, final]) => {
      const task = taskOf(state);
      const event: TaskEvent = { seq: 2, kind: 'status', status: task.status };
      const at = task.status.at;
      expect(v03Codec.encodeEvent(task, event)).toEqual({
        kind: 'status-update',
        taskId: 't',
        contextId: 'c',
        status: { state, timestamp: at },
        final,
      });
      expect(v10Codec.encodeEvent(task, event)).toEqual({
        statusUpdate: { taskId: 't', contextId: 'c', status: { state: v10, timestamp: at } },
      });
    },
  );

  test('when a task is encoded, then each version has it in its own form', () => {
    const said = { message_id: 'a', role: 'agent', parts: [{ kind: 'text', text: 'yes' }] } as const;
    const base = taskOf('completed', [{ kind: 'text', text: 'hi' }]);
    const task: Task = {
      ...base,
      status: { ...base.status, message: said },
      artifacts: [{ artifact_id: 'a', name: 'Answer', parts: said.parts }],
    };
    const ids = { contextId: 'c', taskId: 't' };
    expect(v03Codec.encodeSendResult(task)).toEqual({
      kind: 'task',
      id: 't',
      contextId: 'c',
      status: {
        state: 'completed',
        timestamp: base.status.at,
        message: {
          kind: 'message',
          messageId: 'a',
          role: 'agent',
          parts: [{ kind: 'text', text: 'yes' }],
          ...ids,
        },
      },
      artifacts: [{ artifactId: 'a', name: 'Answer', parts: [{ kind: 'text', text: 'yes' }] }],
      history: [
        { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'hi' }], ...ids },
      ],
    });
    expect(v10Codec.encodeSendResult(task)).toEqual({ task: v10Codec.encodeTask(task) });
    expect([v03Codec.encodeAnswer(task), v10Codec.encodeAnswer(task)]).toEqual([undefined, undefined]);
    expect(v10Codec.encodeTask(task)).toEqual({
      id: 't',
      contextId: 'c',
      status: {
        state: 'TASK_STATE_COMPLETED',
        timestamp: base.status.at,
        message: { messageId: 'a', role: 'ROLE_AGENT', parts: [{ text: 'yes' }], ...ids },
      },
      artifacts: [{ artifactId: 'a', name: 'Answer', parts: [{ text: 'yes' }] }],
      history: [{ messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }], ...ids }],
    });
  });

  test('when a piece of an artifact has no content, then it still has a part', () => {
    const event: TaskEvent = {
      seq: 3,
      kind: 'artifact',
      artifact: { artifact_id: 'a', parts: [] },
      append: true,
      last_chunk: true,
    };
    expect(v03Codec.encodeEvent(taskOf('working'), event)).toEqual({
      kind: 'artifact-update',
      taskId: 't',
      contextId: 'c',
      artifact: { artifactId: 'a', parts: [{ kind: 'text', text: '' }] },
      append: true,
      lastChunk: true,
    });
    expect(v10Codec.encodeEvent(taskOf('working'), event)).toEqual({
      artifactUpdate: {
        taskId: 't',
        contextId: 'c',
        artifact: { artifactId: 'a', parts: [{ text: '' }] },
        append: true,
        lastChunk: true,
      },
    });
  });

  const reasons: readonly [FaultReason, string | undefined][] = [
    ['parse_error', undefined],
    ['invalid_request', undefined],
    ['method_not_found', undefined],
    ['internal', undefined],
    ['task_not_found', 'TASK_NOT_FOUND'],
    ['push_not_supported', 'PUSH_NOTIFICATION_NOT_SUPPORTED'],
    ['unsupported_operation', 'UNSUPPORTED_OPERATION'],
    ['content_type_not_supported', 'CONTENT_TYPE_NOT_SUPPORTED'],
    ['extended_card_not_configured', 'EXTENDED_AGENT_CARD_NOT_CONFIGURED'],
    ['version_not_supported', 'VERSION_NOT_SUPPORTED'],
  ];
  test.for(reasons)(
    'when the fault is %s, then each version has its code, and 1.0 its reason',
    ([reason, name]) => {
      const fault = new A2aFault(reason, 'No.');
      const code = faultCodes[reason];
      expect(v03Codec.encodeFault(fault)).toEqual({ code, message: 'No.' });
      const info = {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: name,
        domain: 'a2a-protocol.org',
      };
      expect(v10Codec.encodeFault(fault)).toMatchObject({
        code,
        message: 'No.',
        ...(name === undefined ? {} : { data: [info] }),
      });
    },
  );

  test('when a field is at fault, then each version says which in its own form', () => {
    const fields = [{ field: 'message.role', description: 'must be "user"' }];
    const fault = new A2aFault('invalid_params', 'No.', { fields });
    expect(v03Codec.encodeFault(fault).data).toEqual({ fields });
    expect(v10Codec.encodeFault(fault).data).toEqual([
      { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: fields },
    ]);
  });
});

function taskOf(state: TaskState, parts: readonly Part[] = []): Task {
  return {
    id: 't',
    context_id: 'c',
    assistant_id: 'x',
    status: { state, at: '2026-01-02T03:04:05.678Z' },
    history: parts.length === 0 ? [] : [{ message_id: 'm', role: 'user', parts }],
    artifacts: [],
    seq: 1,
  };
}

const textPart = (text: string): Part => ({ kind: 'text', text });
const dataPart = (data: unknown): Part => ({ kind: 'data', data });

function nested(levels: number): unknown {
  return Array.from({ length: levels }).reduce<unknown>((inner) => ({ inner }), 1);
}

test('when 1.0 reads fields by either of their names, then data and metadata stay as they are', () => {
  const params = {
    message: {
      role: 'ROLE_USER',
      message_id: 'm',
      context_id: 'c',
      task_id: 't',
      reference_task_ids: ['r'],
      parts: [{ text: 'hi' }, { data: { snake_case: 1 } }],
      metadata: { my_key: 1 },
    },
    configuration: { history_length: 3, return_immediately: true, accepted_output_modes: ['text/plain'] },
    metadata: { other_key: 2 },
  };
  expect(v10Codec.decodeSend(params)).toMatchObject({
    incoming: {
      message: {
        message_id: 'm',
        reference_task_ids: ['r'],
        parts: [{ text: 'hi' }, { data: { snake_case: 1 } }],
        metadata: { my_key: 1 },
      },
      context_id: 'c',
      task_id: 't',
    },
    wait: false,
    history_length: 3,
    accepted_output_modes: ['text/plain'],
    metadata: { other_key: 2 },
  });
  expect(v10Codec.decodeGet({ id: 't', history_length: 0 })).toEqual({ task_id: 't', history_length: 0 });
  expect(() => v10Codec.decodeGet({ id: 't', history_length: -1 })).toThrow(A2aFault);
});

test('when 1.0 is written, then our names are in camelCase, and those of clients and graphs stay', () => {
  const call = { name: 'look_up', args: { max_age: 1 } };
  const theirs = { my_key: { a_b: 1 } };
  const asks = {
    message_id: 'q',
    role: 'agent',
    parts: [
      { kind: 'data', data: theirs },
      { kind: 'data', data: { tool_calls: [call] }, ours: true },
    ],
    metadata: { interrupt_id: 'i1' },
  } as const;
  const said = {
    message_id: 'm',
    role: 'user',
    parts: [{ kind: 'text', text: 'hi' }],
    metadata: theirs,
  } as const;
  const base = taskOf('input-required');
  const task = { ...base, status: { ...base.status, message: asks }, history: [said, asks] };
  expect(v10Codec.encodeTask(task)).toMatchObject({
    status: {
      message: {
        parts: [{ data: theirs }, { data: { toolCalls: [call] } }],
        metadata: { interruptId: 'i1' },
      },
    },
    history: [{ metadata: theirs }, { metadata: { interruptId: 'i1' } }],
  });
  expect(v03Codec.encodeTask(task)).toMatchObject({
    status: {
      message: {
        parts: [{ data: theirs }, { data: { tool_calls: [call] } }],
        metadata: { interrupt_id: 'i1' },
      },
    },
    history: [{ metadata: theirs }, { metadata: { interrupt_id: 'i1' } }],
  });
  const event = { seq: 2, kind: 'status', status: task.status } as const;
  const page = { tasks: [task], total: 1, has_more: false };
  const config = { task_id: 't', config_id: 'p', url: 'https://a.example', scheme: 'Bearer' };
  const fault = new A2aFault('version_not_supported', 'No.', { fields: [{ field: 'a', description: 'b' }] });
  const query = { limit: 1, with_artifacts: true };
  const written = [
    v10Codec.encodeSendResult(task),
    v10Codec.encodeEvent(task, event),
    encodePage(page, { query, encodeTask: v10Codec.encodeTask }),
    pushCodecs['1.0'].encodeList([config], 'p'),
    v10Codec.encodeFault(fault),
  ];
  expect([...new Set(written.flatMap(namesIn))].filter((name) => name.includes('_'))).toEqual([
    'my_key',
    'a_b',
    'max_age',
  ]);
});

/** The names of all fields, in the order in which they come. */
function namesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(namesIn);
  return Object.entries(value).flatMap(([name, held]) => [name, ...namesIn(held)]);
}
