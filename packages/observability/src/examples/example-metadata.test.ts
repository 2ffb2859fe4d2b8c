import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { startFixture } from '../testing/observability-fixture.ts';

/** Metadata keeps its numbers through changes, and refuses numbers that a column would write out at length. */

const fixture = useFixture(startFixture);

const BIG = '98765432109876543210';

async function send(path: string, body?: string, method = 'POST') {
  const init = body === undefined ? {} : { method, body, headers: { 'content-type': 'application/json' } };
  const answer = await fixture().send(path, init);
  return { status: answer.status, text: await answer.text() };
}
const idIn = (text: string) => (JSON.parse(text) as { id: string }).id;

let count = 0;
async function created(metadata: string) {
  const dataset = idIn((await send('/datasets', JSON.stringify({ name: `m${(count += 1)}` }))).text);
  const made = await send('/examples', `{"dataset_id":"${dataset}","inputs":{},"metadata":${metadata}}`);
  return { dataset, made, example: made.status === 200 ? idIn(made.text) : '' };
}
const change = (dataset: string, example: string, operations: string) =>
  send(
    `/v1/platform/datasets/${dataset}/examples/metadata`,
    `{"example_ids":["${example}"],"operations":${operations}}`,
    'PATCH',
  );

test('when metadata, splits or large integers are changed, then large integers stay exact', async () => {
  const { dataset, example } = await created(`{"big":${BIG},"list":[${BIG},"a"]}`);
  const operations = `[{"key":"set","operation":"SET","value":{"n":${BIG}}},
    {"key":"list","operation":"ARRAY_ADD","values":["b"]},{"key":"list","operation":"array_remove","values":["a"]}]`;
  expect((await change(dataset, example, operations)).status).toBe(207);
  const split = JSON.stringify({ split_name: 'test', examples: [example] });
  expect((await send(`/datasets/${dataset}/splits`, split, 'PUT')).status).toBe(200);
  const { text } = await send(`/examples/${example}`);
  for (const piece of [`"big": ${BIG}`, `"set": {"n": ${BIG}}`, `"list": [${BIG}, "b"]`, '["base", "test"]'])
    expect(text).toContain(piece);
});

test('when metadata is set to what it is already, then that makes no version', async () => {
  const { dataset, example } = await created('{"a":{"y":2,"x":1}}');
  const same = '[{"key":"a","operation":"SET","value":{"x":1,  "y":2}}]';
  expect((await change(dataset, example, same)).status).toBe(207);
  expect(JSON.parse((await send(`/datasets/${dataset}/versions`)).text)).toHaveLength(1);
});

test('when a column would write out a number as thousands of digits, then it is refused', async () => {
  for (const number of ['1e99999', '-1E+01000', '0.1e-16000']) {
    const { made } = await created(`{"a":"1e99999","b":[${number}]}`);
    expect([made.status, made.text]).toEqual([422, expect.stringContaining('"metadata"')]);
  }
  const { dataset, example, made } = await created('{"a":"\\"1e99999","b":1e308}');
  expect(made.status).toBe(200);
  for (const value of ['1e99999', '"\\u0000"', '"\\ud800"'])
    expect((await change(dataset, example, `[{"key":"a","operation":"SET","value":${value}}]`)).status).toBe(
      422,
    );
});
