import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { Serde } from './values/langgraph-types.ts';
import { messageSerde } from './values/message-serde.ts';
import { HostUnderTest } from './testing/host-process.ts';

const agents = fileURLToPath(new URL('../fixtures/agents', import.meta.url));

/** Reads records as the checkpoint package did before 1.1.5: what a record names is constructed or called. */
class TrustingClass implements Serde {
  readonly #known: Readonly<Record<string, unknown>> = { Set, Map, RegExp, Error, Uint8Array };

  async dumpsTyped(value: unknown): Promise<[string, Uint8Array]> {
    return ['json', Buffer.from(JSON.stringify(value))];
  }

  async loadsTyped(_type: string, bytes: Uint8Array | string): Promise<unknown> {
    const text = typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString();
    return JSON.parse(text, (_key, one: Record<string, unknown> | null) => {
      if (one?.['lc'] !== 2 || one['type'] !== 'constructor' || !Array.isArray(one['id'])) return one;
      const Kind = this.#known[String(one['id'].at(-1))] as
        | (Record<string, (...args: unknown[]) => unknown> & (new (...args: unknown[]) => unknown))
        | undefined;
      const args = (one['args'] ?? []) as unknown[];
      if (Kind === undefined) return one;
      const method = one['method'];
      return typeof method === 'string' ? Kind[method]?.(...args) : new Kind(...args);
    });
  }
}

const record = (more: object) => ({ lc: 2, type: 'constructor', ...more });
const code = ['globalThis.was_called = true'];
const evil = record({ id: ['Set'], method: 'constructor', args: code });

test.for<[string, unknown]>([
  ['a record', evil],
  ['one within a list of texts', ['a', evil, 'b']],
  ['one that would be awaited', JSON.parse(JSON.stringify({ next: evil }).replace('next', 'then'))],
  ['one within a message', [{ lc: 1, type: 'constructor', id: ['x'], kwargs: { content: [evil] } }]],
  ['one of several names', record({ id: ['a', 'Error'], method: 'captureStackTrace', args: [{}] })],
  [
    'one that names bytes and another method',
    record({ id: ['Uint8Array'], method: 'constructor', args: code }),
  ],
])('when a state holds %s that names a method, then nothing is called', async ([, value]) => {
  const trusting = new TrustingClass();
  const [type, bytes] = await trusting.dumpsTyped({ state: value });
  const read = await messageSerde(trusting).loadsTyped(type, bytes);
  const kinds = new Set<string>();
  JSON.stringify(read, (_key, one: unknown) => {
    kinds.add(typeof one);
    return one;
  });
  expect([...kinds]).not.toContain('function');
  expect(JSON.stringify(read)).toContain('"method"');
});

test('when a state holds what the serializer writes itself, then it is read as before', async () => {
  const trusting = new TrustingClass();
  const written = {
    set: record({ id: ['Set'], args: [[1, 2]] }),
    bytes: record({ id: ['Uint8Array'], method: 'from', args: [[1, 2]] }),
    error: record({ id: ['Error'], method: null, args: ['no luck'] }),
    request: { method: 'POST', lc: 2, id: ['Set'] },
  };
  const [type, bytes] = await trusting.dumpsTyped(written);
  expect(await messageSerde(trusting).loadsTyped(type, bytes)).toEqual({
    set: new Set([1, 2]),
    bytes: new Uint8Array([1, 2]),
    error: new Error('no luck'),
    request: written.request,
  });
});

test('when a caller sends such a record, then it stays data from run to run', async () => {
  await using host = new HostUnderTest(agents);
  const thread_id = randomUUID();
  const input = { messages: [{ role: 'user', content: [{ type: 'text', text: 'x', of: evil }] }] };
  for (const turn of [1, 2]) {
    const { outcome } = await host.run({ thread_id, input });
    expect([turn, outcome.outcome]).toEqual([turn, 'success']);
  }
  const { result } = await host.peer.ask('state.get', { thread_id, graph_id: 'agent' });
  expect(JSON.stringify(result.values)).toContain('was_called');
});
