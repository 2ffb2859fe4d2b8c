import { useFixture } from '@roadstead/testing';
import { Client } from 'langsmith';
import { expect, test } from 'vitest';
import { multipartInit, OTHER_WORKSPACE, startFixture, WORKSPACE } from '../testing/observability-fixture.ts';

/** Examples, as the official client and bare requests write and read them. */

const fixture = useFixture(startFixture);
const server = useFixture(() => fixture().listen());
const url = () => server().url;
const client = useFixture(
  () => new Client({ apiUrl: url(), apiKey: `key-${WORKSPACE}`, autoBatchTracing: false }),
);

let count = 0;
async function newDataset(more: object = {}): Promise<string> {
  const answer = await json('/datasets', { name: `dataset ${(count += 1)}`, ...more });
  expect(answer.status).toBe(200);
  return String(answer.body['id']);
}

async function json(
  path: string,
  body?: unknown,
  { method = 'POST', ...init }: { method?: string; workspace_id?: string } = {},
) {
  const answer = await fixture().send(path, {
    ...init,
    ...(body === undefined
      ? { method: method === 'POST' ? 'GET' : method }
      : { method, body: typeof body === 'string' ? body : JSON.stringify(body) }),
    headers: { 'content-type': 'application/json' },
  });
  const text = await answer.text();
  return {
    status: answer.status,
    text,
    body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>,
  };
}

const all = async (dataset_id: string, more = '') =>
  (await json(`/examples?dataset=${dataset_id}${more}`)).body as unknown as Record<string, unknown>[];

test('when a payload is stored, then its large integers and the way it was written survive', async () => {
  const dataset = await newDataset();
  const inputs = '{ "n" : 12345678901234567890, "u": "\\u00e9", "a": 1.50 }';
  const made = await json(
    '/examples',
    `{"dataset_id":"${dataset}","inputs":${inputs},"metadata":{"big":98765432109876543210}}`,
  );
  expect([made.status, made.text]).toEqual([200, expect.stringContaining(inputs)]);
  const read = await json(`/examples/${String(made.body['id'])}`);
  expect(read.text).toContain(inputs);
  expect(read.text).toContain('98765432109876543210');
  expect(read.body).toMatchObject({
    dataset_id: dataset,
    outputs: null,
    source_run_id: null,
    attachment_urls: null,
  });
});

test('when the official client has examples, then it changes, lists, versions and deletes them', async () => {
  const dataset = await newDataset();
  const first = await client().createExample({
    dataset_id: dataset,
    inputs: { q: 'one' },
    outputs: { a: '1' },
    attachments: { file: ['text/plain', Buffer.from('content')], other: ['text/plain', Buffer.from('x')] },
  });
  const before = first.modified_at ?? '';
  expect(first.metadata).toEqual({ dataset_split: ['base'] });
  expect(Object.keys(first.attachments ?? {})).toEqual(['file', 'other']);
  await client().updateExample({
    id: first.id,
    inputs: { q: 'uno' },
    attachments_operations: { retain: ['file'], rename: { other: 'renamed' } },
  });
  const second = await client().createExample({
    dataset_id: dataset,
    inputs: { q: 'two' },
    split: ['train', 'test'],
    metadata: { k: 'v' },
  });
  const read = await client().readExample(first.id);
  expect([read.inputs, read.outputs, Object.keys(read.attachments ?? {})]).toEqual([
    { q: 'uno' },
    { a: '1' },
    ['file', 'renamed'],
  ]);
  const address = read.attachments?.['file']?.presigned_url ?? '';
  const file = await fixture().send(new URL(address).pathname);
  expect([await file.text(), file.headers.get('content-type')]).toEqual(['content', 'text/plain']);
  const old = [];
  for await (const one of client().listExamples({ datasetId: dataset, asOf: before })) old.push(one);
  expect(old.map(({ inputs }) => inputs)).toEqual([{ q: 'one' }]);
  const listed = async (more: object) => {
    const found: string[] = [];
    for await (const one of client().listExamples({ datasetId: dataset, ...more })) found.push(one.id);
    return found;
  };
  expect(await listed({ splits: ['test'] })).toEqual([second.id]);
  expect(await listed({ metadata: { k: 'v' } })).toEqual([second.id]);
  expect(await listed({ filter: 'exists(metadata, "k")' })).toEqual([second.id]);
  expect(await listed({ filter: 'not(has(metadata, \'{"k": "v"}\'))' })).toEqual([first.id]);
  await client().deleteExample(first.id);
  expect(await listed({})).toEqual([second.id]);
  const diff = await client().diffDatasetVersions({
    datasetId: dataset,
    fromVersion: before,
    toVersion: 'latest',
  });
  expect(diff).toEqual({ examples_added: [second.id], examples_removed: [first.id], examples_modified: [] });
  expect((await client().listDatasetSplits({ datasetId: dataset })).toSorted()).toEqual(['test', 'train']);
});

const id = (last: number) =>
  `0199d3a0-0000-7000-8000-${String(count).padStart(4, '0')}${String(last).padStart(8, '0')}`;
const part = (name: string, value: unknown) => [name, JSON.stringify(value)] as const;

test.each(['/examples/{id}', '/examples/bulk'])(
  'when something is not sent to %s, then it is kept, unless the example is overwritten',
  async (path) => {
    const dataset = await newDataset();
    const example = { id: id(1), dataset_id: dataset };
    const whole = { inputs: { q: 1 }, outputs: { a: 1 }, metadata: { x: 1 }, split: 'test' };
    await json('/examples', { ...example, ...whole });
    const change = async (body: object) => {
      const is_bulk = path.endsWith('bulk');
      const sent = is_bulk ? [{ id: example.id, ...body }] : body;
      expect((await json(path.replace('{id}', example.id), sent, { method: 'PATCH' })).status).toBe(200);
      return (await fixture().send(`/examples/${example.id}`)).json();
    };
    expect(await change({ outputs: { a: 2 } })).toMatchObject({
      inputs: { q: 1 },
      outputs: { a: 2 },
      metadata: { x: 1, dataset_split: ['test'] },
    });
    expect(await change({ inputs: { q: 2 }, overwrite: true })).toMatchObject({
      inputs: { q: 2 },
      outputs: null,
      metadata: { dataset_split: ['base'] },
    });
    const found = await all(dataset, '&full_text_contains=a');
    expect(found).toEqual([]);
    expect(await change({ outputs: { a: 3 }, overwrite: true })).toMatchObject({
      inputs: {},
      outputs: { a: 3 },
    });
  },
);

test('when a request contradicts the present state, then it is refused, and nothing is written', async () => {
  const [dataset, other] = [await newDataset(), await newDataset()];
  const [mine, theirs] = [id(1), id(2)];
  await json('/examples', { id: mine, dataset_id: dataset, inputs: { q: 1 } });
  await json('/examples', { id: theirs, dataset_id: other, inputs: { q: 2 } });
  const platform = `/v1/platform/datasets/${dataset}/examples`;
  const patch = async (...parts: Parameters<typeof multipartInit>[0]) =>
    (await fixture().send(platform, { ...multipartInit(parts), method: 'PATCH' })).status;
  const refused = [
    [409, (await json('/examples', { id: mine, dataset_id: other, inputs: {} })).status],
    [
      409,
      (
        await json('/examples/bulk', [
          { dataset_id: dataset, inputs: {} },
          { id: mine, dataset_id: dataset, inputs: {} },
        ])
      ).status,
    ],
    [409, await patch(part(mine, { metadata: { x: 1 } }), part(theirs, {}))],
    [
      409,
      (
        await json(
          '/examples/bulk',
          [
            { id: mine, inputs: {} },
            { id: theirs, inputs: {} },
          ],
          { method: 'PATCH' },
        )
      ).status,
    ],
    [409, (await json(`/examples/${mine}`, { dataset_id: other, inputs: {} }, { method: 'PATCH' })).status],
    [404, await patch(part(mine, { metadata: { x: 1 } }), part(id(3), {}))],
    [404, (await json('/examples', { dataset_id: id(4), inputs: {} })).status],
    [
      404,
      (await json(`/examples/${mine}`, { inputs: {} }, { method: 'PATCH', workspace_id: OTHER_WORKSPACE }))
        .status,
    ],
    [
      404,
      (await json(`/examples?example_ids=${mine}&example_ids=${id(3)}`, undefined, { method: 'DELETE' }))
        .status,
    ],
    [422, (await json('/examples', { dataset_id: dataset })).status],
    [422, (await json('/examples', { dataset_id: dataset, inputs: [] })).status],
    [422, (await json('/examples', `{"dataset_id":"${dataset}","inputs":{"a":NaN}}`)).status],
    [422, (await json('/examples', { dataset_id: 'none', inputs: {} })).status],
    [422, await patch(['no id', '{}'])],
    [422, await patch(part(mine, {}), part(`${mine}.unknown`, {}))],
    [
      422,
      await patch(part(mine, {}), [
        `${mine}.inputs`,
        Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
      ]),
    ],
    [400, await patch(part(mine, {}), part(`${mine}.attachments_operations`, { retain: ['none'] }))],
  ];
  expect(refused.map(([, status]) => status)).toEqual(refused.map(([status]) => status));
  expect(await all(dataset)).toMatchObject([
    { id: mine, inputs: { q: 1 }, metadata: { dataset_split: ['base'] } },
  ]);
  expect(await all(other)).toMatchObject([{ id: theirs, inputs: { q: 2 } }]);
  expect(((await json(`/datasets/${dataset}/versions`)).body as unknown as object[]).length).toBe(1);
});

test('when a dataset has a schema, then examples are held against it, without holding up others', async () => {
  const inputs_schema_definition = { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] };
  const dataset = await newDataset({ inputs_schema_definition });
  expect((await json('/examples', { dataset_id: dataset, inputs: { q: 'fits' } })).status).toBe(200);
  const wrong = await json('/examples', { dataset_id: dataset, inputs: { q: 7_654_321 } });
  expect([wrong.status, wrong.text]).toEqual([422, expect.stringContaining('"inputs","q"')]);
  expect(wrong.text).not.toContain('7654321');
  expect((await json('/examples/validate', { dataset_id: dataset, inputs: {} })).status).toBe(422);
  expect((await json('/examples/validate', { dataset_id: dataset, inputs: { q: 'x' } })).body).toMatchObject({
    inputs: { q: 'x' },
  });
  const slow = await newDataset({ inputs_schema_definition: { properties: { q: { pattern: '^(a+)+$' } } } });
  const endless = json('/examples', { dataset_id: slow, inputs: { q: `${'a'.repeat(60)}!` } });
  const beside = await json('/info');
  expect(beside.status).toBe(200);
  expect(await endless).toMatchObject({ status: 422 });
  expect(await all(slow)).toEqual([]);
});

test('when an example is deleted for good, then files that nothing else names are gone', async () => {
  const dataset = await newDataset();
  const file = (name: string) => ({ [name]: ['text/plain', Buffer.from(name)] as [string, Buffer] });
  const first = await client().createExample({
    dataset_id: dataset,
    inputs: {},
    attachments: { ...file('own'), ...file('shared') },
  });
  await client().createExample({ dataset_id: dataset, inputs: {}, attachments: file('shared') });
  const pathOf = (name: string) => new URL(first.attachments?.[name]?.presigned_url ?? '').pathname;
  await client().deleteExamples([first.id], { hardDelete: true });
  expect((await fixture().send(pathOf('own'))).status).toBe(404);
  expect(await (await fixture().send(pathOf('shared'))).text()).toBe('shared');
});

test('when an example is deleted for good, then nothing of it is left in any version', async () => {
  const dataset = await newDataset();
  const made = await json('/examples', {
    dataset_id: dataset,
    inputs: { secret: 'canary' },
    metadata: { secret: 'canary' },
  });
  const before = String(made.body['modified_at']);
  const example_ids = [String(made.body['id'])];
  await json(`/examples/${example_ids[0]}`, { outputs: { secret: 'canary' } }, { method: 'PATCH' });
  const removed = await json('/v1/platform/datasets/examples/delete', { example_ids, hard_delete: true });
  expect(removed).toMatchObject({ status: 200, body: { count: 1, example_ids } });
  expect(await all(dataset)).toEqual([]);
  const old = await json(`/examples?dataset=${dataset}&as_of=${before}`);
  expect(old.text).toContain(example_ids[0]);
  const rows = await fixture().fresh.db.query(
    'select e::text from traces.examples e where example_id = $1',
    example_ids,
  );
  expect(JSON.stringify(rows)).not.toContain('canary');
});
