import { fileURLToPath } from 'node:url';
import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import type { GraphDrawing } from '@roadstead/contracts/host';
import { HostUnderTest } from './testing/host-process.ts';

const agents = fileURLToPath(new URL('../fixtures/agents', import.meta.url));

const host = useFixture(() => new HostUnderTest(agents));

const schemasOf = async (graph_id: string) => (await host().peer.ask('schemas', { graph_id })).result;
const messages = { langgraph_type: 'messages', type: 'array' };

test('when a graph’s state is zod’s, then its schemas are read', async () => {
  const state = { topic: { type: 'string' }, length: { type: 'number' } };
  expect(await schemasOf('zod')).toMatchObject({
    graph_id: 'zod',
    input_schema: { type: 'object', properties: state },
    output_schema: { type: 'object', properties: { length: { type: 'number' } }, required: ['length'] },
    state_schema: { type: 'object', properties: state, required: ['topic'] },
    config_schema: null,
    context_schema: null,
  });
});

test('when a graph’s state is a StateSchema, then its schemas say what messages and context are', async () => {
  const state = { type: 'object', properties: { messages, topic: { type: 'string', default: '' } } };
  const context = { type: 'object', properties: { user: { type: 'string' } }, required: ['user'] };
  expect(await schemasOf('schema')).toMatchObject({
    input_schema: state,
    output_schema: state,
    state_schema: state,
    config_schema: context,
    context_schema: context,
  });
});

test('when a graph’s state is annotated, then the names are known, and which hold messages', async () => {
  const { input_schema, output_schema, state_schema } = await schemasOf('annotated');
  expect(input_schema).toMatchObject({ type: 'object', properties: { messages } });
  expect(Object.keys(input_schema?.['properties'] ?? {})).toEqual(['messages']);
  expect(output_schema).toEqual({ type: 'object', properties: { topic: {} } });
  expect(Object.keys(state_schema?.['properties'] ?? {})).toEqual(['messages', 'topic', 'secret']);
});

test('when a graph is unknown, then it has no schemas', async () => {
  await expect(schemasOf('nowhere')).rejects.toThrow('There is no graph "nowhere"');
});

test('when subgraphs are asked for, then they are told by namespace', async () => {
  const list = async (params: { namespace?: string; recurse: boolean }, graph_id = 'schema') =>
    (await host().peer.ask('subgraphs', { graph_id, ...params })).result.subgraphs;
  const all = await list({ recurse: true });
  expect(Object.keys(all)).toEqual(['search']);
  expect(all['search']).toMatchObject({ input_schema: { properties: { topic: { type: 'string' } } } });
  expect(Object.keys(await list({ namespace: 'search', recurse: false }))).toEqual(['search']);
  expect(await list({ namespace: 'nowhere', recurse: false })).toEqual({});
  expect(await list({ recurse: true }, 'agent')).toEqual({});
});

test('when a graph is drawn, then it has nodes and edges, and opens subgraphs', async () => {
  const draw = async (xray: boolean | number) =>
    (await host().peer.ask('graph', { graph_id: 'schema', xray })).result;
  const idsOf = ({ nodes }: GraphDrawing) => nodes.map((node) => node['id']);
  const flat = await draw(false);
  expect(idsOf(flat)).toEqual(['__start__', 'speak', 'search', '__end__']);
  expect(flat.edges).toContainEqual(expect.objectContaining({ source: 'speak', target: 'search' }));
  const opened = ['__start__', 'speak', 'search:look', 'search:tell', '__end__'];
  expect(idsOf(await draw(true))).toEqual(opened);
  expect(idsOf(await draw(1))).toEqual(opened);
});
