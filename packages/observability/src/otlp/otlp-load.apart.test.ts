import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { longestHold, MOST_HELD_MS, useFixture } from '@roadstead/testing';
import { expect, it } from 'vitest';
import { startFixture } from '../testing/observability-fixture.ts';
import { runIdOf } from './span-placement-rules.ts';

/** No request holds the event loop, regardless of its content. */

const fixture = useFixture(startFixture);

/** A message inside of another, as its field. */
const within = (field: number, bytes: Uint8Array) =>
  new BinaryWriter().tag(field, WireType.LengthDelimited).bytes(bytes).finish();
const text = (field: number, value: string) => within(field, Buffer.from(value));
const attribute = (name: string, value: Uint8Array) =>
  within(9, Buffer.concat([text(1, name), within(2, value)]));
const idOf = (index: number) => Buffer.from(index.toString(16).padStart(16, '0'), 'hex');
const span = (index: number, ...fields: readonly (Uint8Array | readonly Uint8Array[])[]) =>
  Buffer.concat([
    within(1, Buffer.alloc(16, 7)),
    within(2, idOf(index)),
    text(5, `span ${index}`),
    ...fields.flat(),
  ]);
const requestOf = (spans: readonly Uint8Array[]) =>
  within(1, within(2, Buffer.concat(spans.map((one) => within(2, one)))));

it.each<[string, () => Uint8Array, number]>([
  [
    '500 spans, each below the one before',
    () =>
      requestOf(
        Array.from({ length: 500 }, (_, at) =>
          at === 0 ? span(1) : span(at + 1, within(4, idOf(at))),
        ).toReversed(),
      ),
    200,
  ],
  [
    'a span of 200,000 attributes',
    () =>
      requestOf([
        span(
          9001,
          Array.from({ length: 200_000 }, (_, at) => attribute(`a.${at}`, text(1, 'x'))),
        ),
      ]),
    200,
  ],
  [
    'a list of 3,000,000 empty values',
    () =>
      requestOf([span(9002, attribute('list', within(5, Buffer.alloc(6_000_000, Buffer.from([0x0a, 0])))))]),
    413,
  ],
  [
    'an attribute that is nested 10,000 times',
    () => {
      let value = text(1, 'x');
      for (let depth = 0; depth < 10_000; depth += 1) value = within(5, within(1, value));
      return requestOf([span(9003, attribute('deep', value))]);
    },
    400,
  ],
  [
    'a prompt of 15 MB',
    () =>
      requestOf([
        span(9004, attribute('gen_ai.prompt', text(1, JSON.stringify({ q: 'x'.repeat(15_000_000) })))),
      ]),
    200,
  ],
  [
    'messages that are spread over 9,000 attributes',
    () =>
      requestOf([
        span(
          9005,
          Array.from({ length: 9000 }, (_, at) => attribute(`gen_ai.prompt.${at}.content`, text(1, 'x'))),
        ),
      ]),
    200,
  ],
])('when a request brings %s, then the event loop is not held', async (_what, bodyOf, expected) => {
  const body = new Uint8Array(bodyOf());
  let status = 0;
  const hold = await longestHold(async () => {
    const answer = await fixture().send('/v1/traces', {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/x-protobuf' },
    });
    status = answer.status;
    await answer.arrayBuffer();
  });
  expect(status).toBe(expected);
  expect(hold).toBeLessThan(MOST_HELD_MS);
});

it.each<[string, number, () => object[]]>([
  ['an attribute of 1,900,000 values', 1, () => [{ arrayValue: { values: Array(1_900_000).fill(0) } }]],
  ['2,000 spans of 30 attributes', 2000, () => Array.from({ length: 30 }, () => ({ stringValue: 'x' }))],
])('when a request brings, as JSON, %s, then the event loop is not held', async (_what, count, valuesOf) => {
  const attributes = valuesOf().map((value, at) => ({ key: `a.${at}`, value }));
  const spans = Array.from({ length: count }, (_, at) => ({
    traceId: '7'.repeat(32),
    spanId: idOf(20_000 + at).toString('hex'),
    name: 'span',
    attributes,
  }));
  const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
  let status = 0;
  const hold = await longestHold(async () => {
    const headers = { 'content-type': 'application/json' };
    status = (await fixture().send('/v1/traces', { method: 'POST', body, headers })).status;
  });
  expect(status).toBe(200);
  expect(hold).toBeLessThan(MOST_HELD_MS);
});

it('when a prompt is of 15 MB, then it is read as it was sent', async () => {
  const run = await (await fixture().send(`/runs/${runIdOf('0'.repeat(12) + (9004).toString(16))}`)).text();
  expect(run).toContain(`"inputs":{"q":"${'x'.repeat(15_000_000)}"}`);
});
