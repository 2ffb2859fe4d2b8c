import { MalformedFrame } from '@roadstead/contracts/host-peer';
import { expect, test, vi } from 'vitest';
import { checkedResult, CheckedPeer, doneBytes, hostErrorOf, stateBytes } from './checked-peer.ts';
import type { JsonBytes } from '@roadstead/contracts/host-peer';
import { checksOfEngine } from '@roadstead/contracts/host-peer';

function peerWith(written: Uint8Array[]): CheckedPeer {
  return new CheckedPeer(
    { write: (bytes) => void written.push(bytes) },
    {
      checks: checksOfEngine,
      malformed: 'answer',
      ask: () => Promise.reject(new Error('Nobody asks')),
      tell: () => undefined,
    },
  );
}

const valueOf = (bytes: JsonBytes): unknown => JSON.parse(Buffer.concat(bytes.pieces).toString());
const broken = {
  get field(): never {
    throw new Error('The field is broken');
  },
};

test('when a question does not fit the protocol, then who asks hears it, and nothing is sent', async () => {
  const written: Uint8Array[] = [];
  const search = { op: 'search', namespace_prefix: [], limit: Number.NaN, offset: 0 } as const;
  await expect(peerWith(written).ask('store.batch', { operations: [search] })).rejects.toThrow(
    new MalformedFrame('in "store.batch", params.operations[0].limit must be a number'),
  );
  expect(written).toEqual([]);
});

test('when a message does not fit the protocol, then who tells it hears it, and nothing is sent', () => {
  const written: Uint8Array[] = [];
  expect(() => {
    peerWith(written).tell('log', { level: 'INFO', message: 5 as never });
  }).toThrow('params.message must be a text');
  expect(written).toEqual([]);
});

test('when an answer does not fit the protocol as JSON, then it is refused', () => {
  expect(() => checkedResult('embed', { vectors: [[1, Number.NaN]] })).toThrow('must be a number');
  expect(valueOf(checkedResult('embed', { vectors: [[1, 2]] }))).toEqual({ vectors: [[1, 2]] });
});

test('when an answer of numbers is checked, then it is not read again', () => {
  using parse = vi.spyOn(JSON, 'parse');
  checkedResult('embed', { vectors: [[1, 2]] });
  expect(parse).not.toHaveBeenCalled();
});

test('when a run ends with what cannot be written, then that is null, and its end is told', () => {
  const end = { run_id: 'run', attempt: 1, outcome: 'success', interrupts: [] } as const;
  const done = { ...end, values: broken, output: 'output' };
  expect(valueOf(doneBytes(done))).toEqual({ ...end, values: null, output: 'output' });
  expect(() => doneBytes({ ...end, run_id: 5 as never, output: null })).toThrow('run_id must be a text');
});

test('when a state holds what cannot be written, then that is null by itself', () => {
  const task = { id: 'task', name: 'node', error: null, checkpoint: null, state: null, result: broken };
  const interrupts = [{ id: 'question', value: broken }];
  const rest = { next: ['node'], checkpoint: null, parent_checkpoint: null, metadata: {}, created_at: null };
  const inner = { ...rest, values: broken, interrupts, tasks: [] };
  const tasks = [{ ...task, interrupts, state: inner }];
  const read = [{ id: 'question', value: null }];
  expect(valueOf(stateBytes({ ...rest, values: { a: 1 }, interrupts, tasks }))).toEqual({
    ...rest,
    values: { a: 1 },
    interrupts: read,
    tasks: [
      {
        ...task,
        result: null,
        interrupts: read,
        state: { ...rest, values: null, interrupts: read, tasks: [] },
      },
    ],
  });
});

test('when what was thrown throws by itself, then there is an error for it', () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  expect(hostErrorOf(proxy)).toEqual({ name: 'Error', message: 'What was thrown can’t be read.' });
  expect(hostErrorOf(new TypeError('no'))).toMatchObject({ name: 'TypeError', message: 'no' });
});
