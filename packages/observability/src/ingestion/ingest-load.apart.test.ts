import { randomBytes } from 'node:crypto';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { uuidv7 } from '@roadstead/kit';
import { longestHold, MOST_HELD_MS, useFixture } from '@roadstead/testing';
import { expect, it } from 'vitest';
import { multipartBody, OTHER_WORKSPACE, startFixture } from '../testing/observability-fixture.ts';

/** No body may hold the event loop, regardless of its content and its packing. */

const fixture = useFixture(startFixture);

const send = async (path: string, body: Buffer, headers: Record<string, string> = {}) => {
  let status = 0;
  const hold = await longestHold(async () => {
    const response = await fixture().send(path, {
      method: 'POST',
      body: streamOf(body),
      duplex: 'half',
      headers,
    });
    status = response.status;
    await response.arrayBuffer();
  });
  return { status, hold };
};
/** The body as a network delivers it. */
const streamOf = (body: Buffer) =>
  ReadableStream.from(
    (function* () {
      for (let from = 0; from < body.length; from += 65_536) yield body.subarray(from, from + 65_536);
    })(),
  ) as ReadableStream<Uint8Array>;
const batch = (runs: string) => Buffer.from(`{"post":[${runs}]}`);
const order = (id: string) => `20260105T102030123456Z${id}`;
const run = (more: object = {}, id = uuidv7()) =>
  JSON.stringify({ id, trace_id: id, dotted_order: order(id), name: 'n', run_type: 'chain', ...more });
const runs = (count: number, more: (index: number) => object = () => ({})) =>
  Array.from({ length: count }, (_, index) => run(more(index)));
const chainOf = (count: number) => {
  const ids = Array.from({ length: count }, () => uuidv7());
  return ids.map((id, at) => JSON.stringify({ id, parent_run_id: ids[at - 1], start_time: 0, name: 'n' }));
};
const repeated = (text: string, bytes: number) => text.repeat(Math.ceil(bytes / text.length));
const multipart = (parts: [string, string][]) => multipartBody(parts);
const form = { 'content-type': 'multipart/form-data; boundary=a0b1c2' };

it.each<[string, () => Buffer, number, Record<string, string>?]>([
  [
    '100 kB of packed nested brackets',
    () => gzipSync(batch(repeated('[', 60_000_000))),
    422,
    { 'content-encoding': 'gzip' },
  ],
  [
    'the same in zstd',
    () => zstdCompressSync(batch(repeated('[', 60_000_000))),
    422,
    { 'content-encoding': 'zstd' },
  ],
  [
    '22 MB of empty lists',
    () => batch(run({}).replace('}', `,"inputs":[${repeated('[],', 22_000_000)}[]]}`)),
    202,
  ],
  [
    '20 MB of nested brackets in a payload',
    () => batch(run({}).replace('}', `,"inputs":${repeated('[', 9_000_000)}${repeated(']', 9_000_000)}}`)),
    202,
  ],
  ['60 MB of members', () => batch(run({}).replace('}', `${repeated(',"a":1', 60_000_000)}}`)), 202],
  [
    '5 MB of empty lists',
    () => batch(run({}).replace('}', `,"inputs":[${repeated('[],', 5_000_000)}[]]}`)),
    202,
  ],
  ['20 MB of quotes', () => batch(run({ inputs: { text: repeated('"', 9_000_000) } })), 202],
  [
    '40 MB of text in two fields',
    () =>
      batch(run({ inputs: { t: repeated('añ', 13_000_000) }, outputs: { t: repeated('x', 19_000_000) } })),
    202,
  ],
  [
    '20 MB of no JSON',
    () => batch(run({}).replace('}', `,"inputs":{"a":NaN,"b":"${repeated('\\u0000', 9_000_000)}"}}`)),
    202,
  ],
  ['4000 runs', () => batch(runs(4000, () => ({ tags: ['a', 'b'] })).join()), 202],
  ['4000 bad runs', () => batch(runs(4000, () => ({ tags: 1, end_time: 'x' })).join()), 202],
  ['500 runs each below the other', () => batch(chainOf(500).join()), 202],
  [
    '19 MB that do not pack',
    () => batch(run({ inputs: { text: randomBytes(14_000_000).toString('base64') } })),
    202,
  ],
  ['3 MB in tags', () => batch(run({ tags: Array.from({ length: 600_000 }, () => 'a') })), 202],
])(
  'when a request brings %s, then it is answered without holding the event loop',
  async (_name, bodyOf, expected, headers) => {
    const { status, hold } = await send('/runs/batch', bodyOf(), headers);
    expect(status).toBe(expected);
    expect(hold).toBeLessThan(MOST_HELD_MS);
  },
);

it.each<[string, () => [string, string][], number]>([
  ['3000 parts', () => runs(3000).map((text, at) => [`post.${uuidv7()}`, at % 2 === 0 ? text : '{}']), 202],
  ['3000 parts of no name', () => Array.from({ length: 3000 }, () => ['x', 'y']), 422],
  [
    'three fields of 60,000 messages',
    () => {
      const id = uuidv7();
      const field = JSON.stringify({
        messages: Array.from({ length: 60_000 }, (_, at) => ({ role: 'user', content: `message ${at}` })),
      });
      return ['inputs', 'outputs', 'extra'].map((name) => [`post.${id}.${name}`, field]);
    },
    202,
  ],
  ['an attachment of 25 MB', () => [[`attachment.${uuidv7()}.a`, repeated('x', 25_000_000)]], 202],
])(
  'when a request brings %s, then it is answered without holding the event loop',
  async (_name, partsOf, expected) => {
    const { status, hold } = await send('/runs/multipart', multipart(partsOf()), form);
    expect(status).toBe(expected);
    expect(hold).toBeLessThan(MOST_HELD_MS);
  },
);

it('when large bodies of a workspace wait for each other, then those of another are taken', async () => {
  const large = new Uint8Array(batch(run({ inputs: { text: repeated('x', 60_000_000) } })));
  const ended: string[] = [];
  const post = async (name: string, workspace_id?: string) => {
    const body = { method: 'POST', body: large, ...(workspace_id && { workspace_id }) };
    const answer = await fixture().send('/runs/batch', body);
    ended.push(name);
    return answer.status;
  };
  const statuses = await Promise.all([
    ...['one', 'two', 'three', 'four'].map((name) => post(name)),
    post('another’s', OTHER_WORKSPACE),
  ]);
  expect(statuses).toEqual([202, 202, 202, 202, 202]);
  // Half of the memory holds two of them.
  expect(ended.indexOf('another’s')).toBeLessThanOrEqual(2);
});
