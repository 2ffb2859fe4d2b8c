import { describe, expect, test } from 'vitest';
import type { Task, TaskEvent, TaskState } from '../../tasks/task.ts';
import { A2aFault, faultCodes, type FaultReason } from '../rpc/a2a-fault.ts';
import { v03Codec } from './v03-codec.ts';
import { v10Codec } from './v10-codec.ts';
import { taskOf } from '../../testing/sample-task.ts';

/** Tasks and their events, written in each version. */

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
