import { expect, test } from 'vitest';
import { A2aFault } from '../rpc/a2a-fault.ts';
import { encodePage } from './list-codec.ts';
import { pushCodecs } from './push-codec.ts';
import { v03Codec } from './v03-codec.ts';
import { v10Codec } from './v10-codec.ts';
import { taskOf } from '../../testing/sample-task.ts';

/** The names of fields on the wire. */

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
