import { expect, test } from 'vitest';
import { encodeFrame } from './frames.ts';
import { MalformedFrame } from './malformed-frame.ts';
import { NoSharedVersion, RemoteError } from './peer.ts';
import { enginePeer, type EnginePeer, hostPeer, type HostPeer } from './testing/peers.ts';

/** Frames that break the protocol: an engine throws them at who ends the host, a host answers an error. */

const frame = (head: object, blobs: readonly Uint8Array[] = []) =>
  Uint8Array.from(Buffer.concat(encodeFrame(head, blobs)));
const silent = { write: () => undefined };
const saidTimes = (length: number) => Array.from({ length }, () => ({ kind: 'said', speaker: 's' }));
const written = { thread_id: 't', checkpoint_ns: '', checkpoint_id: 'c', task_id: 'task' };

const put = { op: 'put', namespace: ['n'], key: 'k' };

test.each([
  ['a text as a head', 'text', 'a head is no question, message or answer'],
  ['a head without a method', { params: {} }, 'a head is no question'],
  ['an id that is no number', { id: 'x', method: 'emit', params: {} }, 'a head is no question'],
  ['an error without a message', { re: 1, error: { name: 'E' } }, 'a head is no question'],
  ['an answer to no question', { re: 1, result: {} }, 'an answer names a question that is not open'],
  [
    'a line without a level',
    { method: 'log', params: { message: 'x' } },
    'in "log", params.level is missing',
  ],
  [
    'a line with a number',
    { method: 'log', params: { level: 'INFO', message: 1 } },
    'params.message must be a text',
  ],
  [
    'events that are no list',
    { method: 'emit', params: { run_id: 'r', attempt: 1, events: {} } },
    'events must be a list',
  ],
  [
    'too many events',
    { method: 'emit', params: { run_id: 'r', attempt: 1, events: saidTimes(50_001) } },
    'in "emit", params.events must be a list of at most 50000',
  ],
  [
    'an unknown event',
    { method: 'emit', params: { run_id: 'r', attempt: 1, events: [{ kind: 'x' }] } },
    'params.events[0].kind must be "chunk" or "message" or "stream" or "said"',
  ],
  [
    'an end without an outcome',
    { method: 'done', params: { run_id: 'r', attempt: 1 } },
    'params.outcome must be',
  ],
  [
    'a blob that the frame lacks',
    {
      method: 'checkpoint.put_writes',
      params: { ...written, writes: [{ channel: 'c', type: 'json', blob: 0, idx: 0 }] },
    },
    'params.writes[0].blob must be below the number of blobs',
  ],
  [
    'a write of half an attempt',
    { method: 'checkpoint.put_writes', params: { ...written, run_id: 'r', writes: [] } },
    'in "checkpoint.put_writes", params.attempt is missing',
  ],
  [
    'an operation of half an attempt',
    { id: 1, method: 'store.batch', params: { operations: [], attempt: 1 } },
    'in "store.batch", params.run_id is missing',
  ],
  [
    'a put without a value',
    { id: 1, method: 'store.batch', params: { operations: [put] } },
    'in "store.batch", params.operations[0].value is missing',
  ],
  [
    'a put of a text',
    { id: 1, method: 'store.batch', params: { operations: [{ ...put, value: 'text' }] } },
    'in "store.batch", params.operations[0].value must be an object',
  ],
  [
    'a deletion of half an attempt',
    { id: 1, method: 'checkpoint.delete_thread', params: { thread_id: 't', run_id: 'r' } },
    'in "checkpoint.delete_thread", params.attempt is missing',
  ],
  [
    'a question with a wrong key',
    { id: 1, method: 'checkpoint.get', params: { thread_id: 1 } },
    'params.thread_id must be a text',
  ],
])(
  'when a host sends %s, then the engine throws a sentence that names the place',
  (_what, head, sentence) => {
    const engine = enginePeer(silent);
    const bytes = frame(head as object);
    expect(() => engine.receive(bytes)).toThrow(MalformedFrame);
    expect(() => enginePeer(silent).receive(bytes)).toThrow(sentence);
  },
);

test('when a frame brings as many blobs and events as it may, then it is handled; else not', () => {
  const heard: number[] = [];
  const engine = enginePeer(silent, {
    max_blobs: 2,
    tell: (_message, blobs) => void heard.push(blobs.length),
  });
  const events = saidTimes(50_000);
  const emit = { method: 'emit', params: { run_id: 'r', attempt: 1, events } };
  const empty = new Uint8Array();
  void engine.receive(frame(emit, [empty, empty]));
  expect(heard).toEqual([2]);
  const sentence = 'a frame has more than 2 blobs';
  expect(() => engine.receive(frame(emit, [empty, empty, empty]))).toThrow(sentence);
});

test('when a head is not JSON, then the engine throws a sentence that repeats nothing of it', () => {
  const head = Buffer.from('{"secret"');
  const bytes = Buffer.alloc(8 + head.length);
  bytes.writeUInt32BE(4 + head.length, 0);
  bytes.writeUInt32BE(head.length, 4);
  head.copy(bytes, 8);
  expect(() => enginePeer(silent).receive(bytes)).toThrow(new MalformedFrame('a head is not JSON'));
});

test('when the answer of a host is malformed, then its question ends with the connection', async () => {
  const engine = enginePeer(silent);
  const asked = engine.ask('ping', {});
  const sentence = 'in the answer to "ping", result.runs is missing';
  expect(() => engine.receive(frame({ re: 1, result: {} }))).toThrow(sentence);
  engine.close(new Error('The host was ended.'));
  await expect(asked).rejects.toThrow('The host was ended.');
});

const stateOf = (state: unknown) => {
  const places = { checkpoint: null, parent_checkpoint: null, created_at: null };
  const task = { id: 't', name: 'n', error: null, interrupts: [], checkpoint: null, state };
  return { next: [], tasks: [task], metadata: {}, interrupts: [], ...places };
};
/** A state with so many levels of subgraphs. */
const nested = (levels: number): unknown => (levels === 0 ? null : stateOf(nested(levels - 1)));

test('when the state of a subgraph is malformed or too deep, then the sentence names the place', async () => {
  const state = { thread_id: 't', graph_id: 'g' };
  const receive = (result: unknown) => {
    const engine = enginePeer(silent);
    const asked = engine.ask('state.get', state);
    asked.catch(() => undefined);
    void engine.receive(frame({ re: 1, result }));
    return asked;
  };
  expect((await receive(nested(64))).result).toEqual(nested(64));
  const place = 'result.tasks[0].state.tasks[0].state';
  expect(() => receive(stateOf(stateOf('none')))).toThrow(`${place} must be an object`);
  expect(() => receive(nested(65))).toThrow('.state must be at most 64 levels deep');
});

test('when a host describes itself in another version, then only that question fails', async () => {
  const engine = enginePeer(silent);
  const asked = [engine.ask('describe', {}), engine.ask('describe', {})];
  void engine.receive(frame({ re: 1, result: { protocol_versions: [2], graphs: 'elsewhere' } }));
  const sentence = 'The graph host speaks version 2 of the host protocol, and this engine version 1.';
  await expect(asked[0]).rejects.toThrow(new NoSharedVersion(sentence));
  void engine.receive(frame({ re: 2, result: { graphs: [], langgraph_version: null } }));
  expect((await asked[1])?.result.graphs).toEqual([]);
});

test('when a side asks for an unknown method, then it gets an error, and the connection lives', async () => {
  const host: HostPeer = hostPeer({ write: (bytes) => void engine.receive(bytes) });
  const engine: EnginePeer = enginePeer({ write: (bytes) => void host.receive(bytes) });
  for (const asked of [
    host.ask('embed.all' as never, {} as never),
    engine.ask('embed.all' as never, {} as never),
  ])
    await expect(asked).rejects.toThrow('does not know the method');
});

test('when a host tells of an unknown matter, then nobody is told of it', () => {
  const heard: unknown[] = [];
  const engine = enginePeer(silent, { tell: (message) => void heard.push(message) });
  void engine.receive(frame({ method: 'weather', params: 'fine' }));
  expect(heard).toEqual([]);
});

test('when an engine asks what is malformed, then the host answers an error and lives', async () => {
  const host: HostPeer = hostPeer(
    { write: (bytes) => void engine.receive(bytes) },
    { ask: async () => ({ result: { runs: 0, heap_bytes: 1 } }) },
  );
  const engine: EnginePeer = enginePeer({ write: (bytes) => void host.receive(bytes) });
  const refused = engine.ask('cancel', { run_id: 'r', attempt: 1 } as never);
  await expect(refused).rejects.toThrow('in "cancel", params.reason is missing');
  await expect(refused).rejects.toBeInstanceOf(RemoteError);
  expect((await engine.ask('ping', {})).result).toEqual({ runs: 0, heap_bytes: 1 });
});

test('when a member bears the name of a method of all objects, then it is checked like others', async () => {
  const map = JSON.parse('{"constructor":1}') as object;
  const params = { thread_id: 't', graph_id: 'g', checkpoint: { checkpoint_map: map } };
  const host: HostPeer = hostPeer({ write: (bytes) => void engine.receive(bytes) });
  const engine: EnginePeer = enginePeer({ write: (bytes) => void host.receive(bytes) });
  const asked = engine.ask('state.get', params as never);
  await expect(asked).rejects.toThrow('in "state.get", params.checkpoint.checkpoint_map.* must be a text');
});

test('when the answer of an engine is malformed, then only its question fails', async () => {
  const host = hostPeer(silent);
  const asked = host.ask('checkpoint.list', {});
  void host.receive(frame({ re: 1, result: { tuples: 'none' } }));
  void host.receive(frame({ re: 7, result: {} }));
  await expect(asked).rejects.toThrow('in the answer to "checkpoint.list", result.tuples must be a list');
});
