import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { assistantIdOf } from '@roadstead/kit';
import type { Assistant } from '@langchain/langgraph-sdk';
import { openAgentHttp } from '../../testing/agent-http.ts';
import { fixtureRevision } from '../../testing/open-agent.ts';

/** The official client and a real agent server. */

const http = useFixture(openAgentHttp);
const client = useFixture(() => http().client());

const ids = (found: readonly { assistant_id: string }[]) => found.map((one) => one.assistant_id);

test('when a graph is served, then it has an assistant of its own, found by both ids', async () => {
  const id = assistantIdOf('agent');
  expect(id).toBe('fe096781-5601-53d2-b2f6-0d3403f7e9ca');
  const own = await client().assistants.get(id);
  expect(own).toMatchObject({
    assistant_id: id,
    graph_id: 'agent',
    name: 'agent',
    description: 'Counts its turns.',
    config: {},
    context: {},
    metadata: { created_by: 'system' },
    version: 1,
  });
  expect(await client().assistants.get('agent')).toEqual(own);
  const system = await client().assistants.search({ metadata: { created_by: 'system' }, limit: 100 });
  expect(system.length).toBeGreaterThan(10);
  expect(await client().assistants.count({ metadata: { created_by: 'system' } })).toBe(system.length);
  await expect(client().assistants.delete(id)).rejects.toThrow('HTTP 409');
  // What an activation does again changes nothing.
  await client().assistants.update(id, { config: { configurable: { model: 'x' } } });
  await http().agent.server.activate('11111111-1111-4111-8111-111111111111', new AbortController().signal);
  expect(await client().assistants.get(id)).toMatchObject({ version: 2, context: { model: 'x' } });
});

test('when an assistant is created, then it can be changed and deleted', async () => {
  const made = await client().assistants.create({
    graphId: 'tools',
    name: 'Guide',
    description: 'foo',
    config: { configurable: { model_name: 'gpt' }, recursion_limit: 9 },
    metadata: { team: 'a' },
  });
  expect(made).toMatchObject({
    graph_id: 'tools',
    name: 'Guide',
    config: { configurable: { model_name: 'gpt' }, recursion_limit: 9 },
    context: { model_name: 'gpt' },
    version: 1,
  });
  const changed = await client().assistants.update(made.assistant_id, {
    metadata: { color: 'red' },
    context: { model_name: 'other' },
  });
  expect(changed).toMatchObject({
    version: 2,
    name: 'Guide',
    description: 'foo',
    metadata: { team: 'a', color: 'red' },
    context: { model_name: 'other' },
    config: { configurable: { model_name: 'other' } },
  });
  expect(await client().assistants.get(made.assistant_id)).toEqual(changed);
  await client().assistants.delete(made.assistant_id);
  for (const gone of [
    () => client().assistants.get(made.assistant_id),
    () => client().assistants.getVersions(made.assistant_id),
    () => client().assistants.update(made.assistant_id, {}),
    () => client().assistants.delete(made.assistant_id),
  ])
    await expect(gone()).rejects.toThrow('HTTP 404');
});

test('when an assistant’s id is taken, then it is a conflict, or what is there if asked for', async () => {
  const made = await client().assistants.create({ graphId: 'plain' });
  expect(made.name).toBe('Untitled');
  const again = { graphId: 'plain', assistantId: made.assistant_id } as const;
  await expect(client().assistants.create(again)).rejects.toThrow('HTTP 409');
  expect(await client().assistants.create({ ...again, ifExists: 'do_nothing' })).toEqual(made);
  await expect(client().assistants.create({ graphId: 'nobody' })).rejects.toThrow(
    'No graph \\"nobody\\" is served',
  );
});

test('when a configuration and a context contradict each other, then they are refused', async () => {
  const config = { configurable: { a: 1, b: { c: 2 } } };
  const create = (context: object) => client().assistants.create({ graphId: 'plain', config, context });
  await expect(create({ a: 2 })).rejects.toThrow('HTTP 422');
  expect(await create({ b: { c: 2 }, a: 1 })).toMatchObject({ context: { a: 1, b: { c: 2 } } });
});

test('when an assistant changes, then it has a new version, and can return to any before', async () => {
  const { assistant_id: id } = await client().assistants.create({ graphId: 'agent', name: 'one' });
  await client().assistants.update(id, { config: { configurable: { foo: 'bar' } }, name: 'two' });
  await client().assistants.update(id, { metadata: { foo: 'baz' } });
  const versions = await client().assistants.getVersions(id);
  expect(versions.map(({ version, name }) => [version, name])).toEqual([
    [3, 'two'],
    [2, 'two'],
    [1, 'one'],
  ]);
  const some = [
    await client().assistants.getVersions(id, { limit: 1 }),
    await client().assistants.getVersions(id, { offset: 2 }),
    await client().assistants.getVersions(id, { metadata: { foo: 'baz' } }),
  ];
  expect(some.map((found) => found.map(({ version }) => version))).toEqual([[3], [1], [3]]);
  expect(await client().assistants.setLatest(id, 1)).toMatchObject({
    version: 1,
    name: 'one',
    config: {},
    metadata: {},
  });
  expect(await client().assistants.update(id, {})).toMatchObject({ version: 4, name: 'one' });
  await expect(client().assistants.setLatest(id, 9)).rejects.toThrow('HTTP 404');
});

test('when many changes come at once, then there are as many versions', async () => {
  const { assistant_id: id } = await client().assistants.create({ graphId: 'agent' });
  await Promise.all(
    Array.from({ length: 10 }, (_, n) => client().assistants.update(id, { metadata: { [`k${n}`]: n } })),
  );
  const assistant = await client().assistants.get(id);
  expect(assistant.version).toBe(11);
  expect(Object.keys(assistant.metadata ?? {})).toHaveLength(10);
});

test('when assistants are searched, then graph, name and metadata find them, page by page', async () => {
  const made: string[] = [];
  for (const name of ['Tug_1', 'tug%2', 'Tugs 3'])
    made.push(
      (await client().assistants.create({ graphId: 'form', name, metadata: { of: { the: 'tugs' } } }))
        .assistant_id,
    );
  const find = (query: object): Promise<Assistant[]> => client().assistants.search({ ...query });
  const metadata = { of: { the: 'tugs' } };
  expect(ids(await find({ metadata }))).toEqual(made.toReversed());
  expect(ids(await find({ metadata, sortBy: 'name', sortOrder: 'asc' }))).toHaveLength(3);
  expect(ids(await find({ name: 'TUG' }))).toEqual(made.toReversed());
  expect(ids(await find({ name: 'g_1' }))).toEqual([made[0]]);
  expect(ids(await find({ name: '%' }))).toEqual([made[1]]);
  expect(ids(await find({ graphId: 'form', metadata, limit: 1, offset: 1 }))).toEqual([made[1]]);
  expect(await client().assistants.count({ graphId: 'form', name: 'tugs' })).toBe(1);
  const page = await client().assistants.search({ metadata, limit: 2, includePagination: true });
  expect([page.assistants.length, page.next]).toEqual([2, '2']);
  const last = await client().assistants.search({ metadata, limit: 2, offset: 2, includePagination: true });
  expect([last.assistants.length, last.next]).toEqual([1, null]);
  const [chosen] = await find({ metadata, limit: 1, select: ['name', 'version'] });
  expect(chosen).toEqual({ name: 'Tugs 3', version: 1 });
});

test('when a person lists assistants, then they see those of all, and change their own only', async () => {
  const ann = http().client('of:ann');
  const theirs = await ann.assistants.create({ graphId: 'plain', name: 'Ann’s' });
  expect(theirs.metadata).toEqual({ roadstead_subject: 'ann' });
  const other = await client().assistants.create({ graphId: 'plain' });
  expect((await ann.assistants.get(other.assistant_id)).name).toBe('Untitled');
  await expect(ann.assistants.update(other.assistant_id, { name: 'mine' })).rejects.toThrow('HTTP 404');
  await expect(http().client('of:bo').assistants.delete(theirs.assistant_id)).rejects.toThrow('HTTP 404');
  await ann.assistants.delete(theirs.assistant_id);
});

test('when `LANGGRAPH_CONFIG` is set, then graphs’ own assistants begin with it, until changed', async () => {
  const { server } = http().agent;
  const prepare = async (revision_id: string, configs: string) => {
    const revision = fixtureRevision(revision_id);
    const environment = { ...revision.environment, LANGGRAPH_CONFIG: configs };
    await server.prepare({ ...revision, environment }, new AbortController().signal);
  };
  await expect(prepare(crypto.randomUUID(), '{')).rejects.toThrow('LANGGRAPH_CONFIG');
  await expect(prepare(crypto.randomUUID(), '{"tools":{"tags":1}}')).rejects.toThrow('tools.tags');
  await client().assistants.update('gate', { metadata: { changed: true } });
  const revision_id = crypto.randomUUID();
  const configs = { recursion_limit: 7, configurable: { model: 'small' } };
  await prepare(revision_id, JSON.stringify({ tools: configs, gate: configs }));
  await server.activate(revision_id, new AbortController().signal);
  const shown = { version: 1, config: configs, context: { model: 'small' } };
  expect(await client().assistants.get('tools')).toMatchObject(shown);
  expect(await client().assistants.getVersions(assistantIdOf('tools'))).toMatchObject([shown]);
  expect(await client().assistants.get('gate')).toMatchObject({ version: 2, config: {} });
});
