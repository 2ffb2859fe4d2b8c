import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { startHost } from './host.ts';

/** What a host answers before anything runs: its versions, manifest and schemas, or why it does not load. */

const host = useFixture(() => startHost('graphs'));

test('when a host is described, then it names every graph of its project', async () => {
  const { result } = await host().peer.ask('describe', { protocol_versions: [1] });
  expect(result.graphs.map(({ graph_id }) => graph_id).toSorted()).toEqual([
    'approval',
    'delta',
    'echo',
    'fail',
    'flood',
    'keeper',
    'logger',
    'model',
    'nested',
    'notes',
    'stages',
    'wait',
  ]);
  expect(result.graphs.find(({ graph_id }) => graph_id === 'echo')).toMatchObject({
    description: 'Counts its turns.',
    channels: ['messages'],
    has_messages: true,
  });
  expect(result.graphs.find(({ graph_id }) => graph_id === 'flood')?.has_messages).toBe(false);
  expect(result).toMatchObject({ stores_deltas: true });
  expect(result.auth).toBeUndefined();
  expect(result.app).toBeUndefined();
});

test.each([{}, { protocol_versions: [1] }, { protocol_versions: [1, 99] }])(
  'when the engine speaks %j, then the host says that it speaks version 1',
  async (params) => {
    const { result } = await host().peer.ask('describe', params);
    expect(result.protocol_versions ?? [1]).toContain(1);
  },
);

test('when a host is described twice, then it loads once and answers the same', async () => {
  const [first, second] = await Promise.all([
    host().peer.ask('describe', {}),
    host().peer.ask('describe', {}),
  ]);
  expect(second.result).toEqual(first.result);
});

test('when the schemas of a graph are asked, then they name its channels', async () => {
  const { result } = await host().peer.ask('schemas', { graph_id: 'echo' });
  expect(result.graph_id).toBe('echo');
  expect(result.state_schema).toMatchObject({ properties: { messages: expect.anything() as unknown } });
  expect(result.input_schema).toMatchObject({ properties: { messages: expect.anything() as unknown } });
});

test('when the subgraphs of a graph are asked, then they come by the name of their node', async () => {
  const { result } = await host().peer.ask('subgraphs', { graph_id: 'nested', recurse: false });
  expect(Object.keys(result.subgraphs)).toEqual(['inner']);
  const none = await host().peer.ask('subgraphs', { graph_id: 'echo', recurse: true });
  expect(none.result.subgraphs).toEqual({});
});

test('when a graph is drawn, then the drawing holds its nodes and edges', async () => {
  const { result } = await host().peer.ask('graph', { graph_id: 'stages', xray: false });
  expect(result.nodes.map(({ id }) => id)).toEqual(expect.arrayContaining(['first', 'second']));
  expect(result.edges).toContainEqual(expect.objectContaining({ source: 'first', target: 'second' }));
});

test('when a graph is drawn with its subgraphs, then it has more nodes', async () => {
  const plain = await host().peer.ask('graph', { graph_id: 'nested', xray: false });
  const deep = await host().peer.ask('graph', { graph_id: 'nested', xray: true });
  expect(deep.result.nodes.length).toBeGreaterThan(plain.result.nodes.length);
});

test('when a host is pinged, then it tells how many runs it has', async () => {
  const { result } = await host().peer.ask('ping', {});
  expect(result.runs).toBe(0);
  expect(result.heap_bytes).toBeGreaterThan(0);
});

test.each(['schemas', 'state.get', 'graph'] as const)(
  'when %s names an unknown graph, then it is an error that names it',
  async (method) => {
    const asked = host().peer.ask(method, { graph_id: 'nobody', thread_id: 't', xray: false });
    await expect(asked).rejects.toThrow('nobody');
  },
);

test.each([
  ['missing.json', 'nowhere'],
  ['export.json', 'absent'],
  ['throws.json', 'this agent never loads'],
  ['value.json', 'value'],
])(
  'when a project is broken by %s, then it is described by an error that says where',
  async (config_path, word) => {
    await using broken = startHost('broken', { config_path });
    await expect(broken.peer.ask('describe', {})).rejects.toThrow(word);
    await expect(broken.peer.ask('describe', {})).rejects.toThrow('agent');
    // It goes on answering: it is for the engine to end it.
    expect((await broken.peer.ask('ping', {})).result.runs).toBe(0);
  },
);

test('when engine and host share no version, then nothing is loaded, and both lists are named', async () => {
  // Its project can't be loaded, which would be another error.
  await using broken = startHost('broken', { config_path: 'value.json' });
  const asked = broken.peer.ask('describe', { protocol_versions: [98, 99] });
  await expect(asked).rejects.toThrow(/\b1\b.*\b98\b.*\b99\b/);
});
