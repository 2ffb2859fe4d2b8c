import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { openAgentHttp } from '../../testing/agent-http.ts';

/** The official client and a real agent server. */

const http = useFixture(openAgentHttp);
const client = useFixture(() => http().client());

const put = (body: object) =>
  fetch(`${http().url}/store/items`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', 'x-api-key': 'key' },
    body: JSON.stringify(body),
  });

test('when an item is put, then it is read, found, listed and deleted', async () => {
  const namespace = ['allMethods', 'data'];
  expect((await client().store.searchItems(namespace)).items).toEqual([]);
  await client().store.putItem(namespace, 'k', { foo: 'bar' });
  const item = await client().store.getItem(namespace, 'k');
  expect(item).toMatchObject({ namespace, key: 'k', value: { foo: 'bar' } });
  expect(Date.parse(item?.createdAt ?? '')).toBeGreaterThan(0);
  await client().store.putItem(namespace, 'k', { foo: 'baz' });
  const { items } = await client().store.searchItems(['allMethods'], { filter: { foo: 'baz' } });
  expect(items).toMatchObject([{ key: 'k', value: { foo: 'baz' }, createdAt: item?.createdAt, score: null }]);
  expect(await client().store.listNamespaces({ prefix: ['allMethods'] })).toEqual({
    namespaces: [namespace],
  });
  expect(await client().store.listNamespaces({ suffix: ['data'], maxDepth: 1 })).toEqual({
    namespaces: [['allMethods']],
  });
  await client().store.deleteItem(namespace, 'k');
  await client().store.deleteItem(namespace, 'k');
  expect(await client().store.getItem(namespace, 'k')).toBeNull();
});

test('when a graph or a client stores an item, then the other finds it', async () => {
  await client().store.putItem(['notes'], 'note-of-a-client', { text: 'from outside' });
  const message = { role: 'user', messageId: 'm1', parts: [{ kind: 'text', text: 'from inside' }] };
  const rpc = { jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } };
  expect((await http().agent.call('notes', JSON.stringify(rpc))).status).toBe(200);
  const { items } = await client().store.searchItems(['notes']);
  expect(items.map(({ value }) => value['text'])).toEqual(
    expect.arrayContaining(['from outside', 'from inside']),
  );
});

test('when an item has a time to live, then it is gone after that', async () => {
  await client().store.putItem(['short'], 'gone', { a: 1 }, { ttl: 0 });
  await client().store.putItem(['short'], 'there', { a: 1 }, { ttl: 5 });
  expect(await client().store.getItem(['short'], 'gone')).toBeNull();
  expect((await client().store.searchItems(['short'])).items.map(({ key }) => key)).toEqual(['there']);
});

test.each([
  ['an empty namespace', { namespace: [], key: 'k', value: {} }],
  ['an empty label', { namespace: ['a', ''], key: 'k', value: {} }],
  ['a dot in a label', { namespace: ['a.b'], key: 'k', value: {} }],
  ['an empty key', { namespace: ['a'], key: '', value: {} }],
  ['a key of 1,025 bytes', { namespace: ['a'], key: 'ä'.repeat(513), value: {} }],
  ['a value of more than 1 MB', { namespace: ['a'], key: 'k', value: { a: 'x'.repeat(1_048_576) } }],
  ['a value that is no object', { namespace: ['a'], key: 'k', value: [1] }],
  ['a negative time', { namespace: ['a'], key: 'k', value: {}, ttl: -1 }],
])('when an item has %s, then it is refused', async (_what, body) => {
  const answer = await put(body);
  expect([answer.status, await answer.text()]).toEqual([422, expect.stringContaining('detail')]);
});

test('when a key has 1,024 bytes and a value 1 MB, then they are taken', async () => {
  const value = { a: 'x'.repeat(1_048_576 - '{"a":""}'.length) };
  expect((await put({ namespace: ['big'], key: 'ä'.repeat(512), value })).status).toBe(204);
  expect((await client().store.getItem(['big'], 'ä'.repeat(512)))?.value).toEqual(value);
});

test('when a person uses the store, then they reach the namespaces that begin with their name', async () => {
  const ann = http().client('of:ann');
  await ann.store.putItem(['ann', 'notes'], 'k', { a: 1 });
  expect((await ann.store.searchItems(['ann'])).items).toHaveLength(1);
  for (const refused of [
    () => ann.store.searchItems([]),
    () => ann.store.listNamespaces(),
    () => ann.store.listNamespaces({ prefix: ['*'] }),
    () => http().client('of:bo').store.getItem(['ann', 'notes'], 'k'),
    () => http().client('of:bo').store.deleteItem(['ann', 'notes'], 'k'),
  ])
    await expect(refused()).rejects.toThrow('HTTP 403');
});
