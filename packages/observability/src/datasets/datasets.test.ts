import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { OTHER_WORKSPACE, startFixture } from '../testing/observability-fixture.ts';

/** Datasets, their versions, tags and splits. */

const fixture = useFixture(startFixture);

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly list: Record<string, unknown>[];
}

async function send(
  path: string,
  body?: object,
  init: { method?: string; workspace_id?: string } = {},
): Promise<Answer> {
  const answer = await fixture().send(path, {
    method: body === undefined ? 'GET' : 'POST',
    ...init,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const parsed = JSON.parse((await answer.text()) || 'null') as Record<string, unknown>;
  return { status: answer.status, body: parsed, list: parsed as unknown as Record<string, unknown>[] };
}

let count = 0;
const create = async (more: object = {}) =>
  String((await send('/datasets', { name: `d${(count += 1)}`, ...more })).body['id']);
const add = async (dataset_id: string, more: object = {}) =>
  (await send('/examples', { dataset_id, inputs: {}, ...more })).body;

test('when a dataset is made, changed and deleted, then its name is free again', async () => {
  const made = await send('/datasets', {
    name: 'one',
    data_type: 'chat',
    extra: { metadata: { k: 'v' }, source: 'sdk' },
  });
  expect(made).toMatchObject({
    status: 200,
    body: {
      name: 'one',
      data_type: 'chat',
      metadata: { k: 'v' },
      example_count: 0,
      session_count: 0,
      transformations: null,
    },
  });
  const path = `/datasets/${String(made.body['id'])}`;
  expect((await send('/datasets', { name: 'one' })).status).toBe(409);
  expect((await send('/datasets', { name: 'one' }, { workspace_id: OTHER_WORKSPACE })).status).toBe(200);
  const changed = await send(path, { description: 'new', metadata: null }, { method: 'PATCH' });
  expect(changed.body).toMatchObject({ name: 'one', description: 'new', metadata: null });
  const taken = await create();
  expect((await send(`/datasets/${taken}`, { name: 'one' }, { method: 'PATCH' })).status).toBe(409);
  expect((await send(path, undefined, { workspace_id: OTHER_WORKSPACE })).status).toBe(404);
  expect(
    (
      await send(
        `/datasets?dataset_ids=${String(made.body['id'])}&dataset_ids=${crypto.randomUUID()}`,
        undefined,
        { method: 'DELETE' },
      )
    ).status,
  ).toBe(404);
  expect((await send(path, undefined, { method: 'DELETE' })).status).toBe(200);
  expect([(await send(path)).status, (await send('/datasets', { name: 'one' })).status]).toEqual([404, 200]);
});

test('when a dataset is deleted, then what it held is removed from the database', async () => {
  const id = await create();
  await add(id, { inputs: { text: 'canary' } });
  const experiment_ids: string[] = [];
  for (const name of ['one of it', 'another of it'])
    experiment_ids.push(String((await send('/sessions', { name, reference_dataset_id: id })).body['id']));
  await send('/datasets/comparative', { experiment_ids, name: 'compared' });
  const formula_parts = [{ part_type: 'weighted_key', weight: 1, key: 'k' }];
  await send('/feedback/formulas', {
    dataset_id: id,
    feedback_key: 'whole',
    aggregation_type: 'sum',
    formula_parts,
  });
  await send(`/datasets/${id}/share`, undefined, { method: 'PUT' });
  const left = async () =>
    (
      await fixture().fresh.db.query<{ name: string }>(
        `select 'example' as name from traces.examples where dataset_id = $1
         union all select 'version' from traces.dataset_versions where dataset_id = $1
         union all select 'comparison' from traces.comparisons where reference_dataset_id = $1
         union all select 'formula' from traces.feedback_formulas where dataset_id = $1
         union all select 'link' from traces.shares where subject_id = $1
         union all select 'dataset' from traces.datasets where id = $1`,
        [id],
      )
    ).map(({ name }) => name);
  expect(await left()).toEqual(['example', 'version', 'comparison', 'formula', 'link', 'dataset']);
  await send(`/datasets/${id}`, undefined, { method: 'DELETE' });
  await expect.poll(left).toEqual([]);
});

test('when a dataset changes, then each change is a version, and the tag latest moves by itself', async () => {
  const id = await create();
  const path = `/datasets/${id}`;
  expect((await send(`${path}/version?tag=latest`)).status).toBe(404);
  const first = await add(id);
  const one = String((await send(`${path}/version?tag=latest`)).body['as_of']);
  expect(one).toBe(first['modified_at']);
  const tagged = await send(`${path}/tags`, { as_of: one, tag: 'production' }, { method: 'PUT' });
  expect(tagged.body).toEqual({ as_of: one, tags: ['production', 'latest'] });
  const second = await add(id);
  await send(`/examples/${String(first['id'])}`, { outputs: { a: 1 } }, { method: 'PATCH' });
  const { list } = await send(`${path}/versions`);
  expect(list.map(({ tags }) => tags)).toEqual([['latest'], [], ['production']]);
  const at = async (as_of: string) =>
    (await send(`/examples?dataset=${id}&as_of=${encodeURIComponent(as_of)}`)).list.length;
  expect([await at('production'), await at(one), await at('latest'), await at('2020-01-01')]).toEqual([
    1, 1, 2, 0,
  ]);
  expect((await send(`/examples?dataset=${id}&as_of=staging`)).status).toBe(404);
  expect((await send(`${path}/versions?search=prod`)).list.length).toBe(1);
  expect((await send(`${path}/versions?example=${String(second['id'])}`)).list.length).toBe(1);
  const diff = await send(`${path}/versions/diff?from_version=production&to_version=latest`);
  expect(diff.body).toEqual({
    examples_added: [second['id']],
    examples_removed: [],
    examples_modified: [first['id']],
  });
  const none = await send(`${path}/tags`, { as_of: '2020-01-01T00:00:00Z', tag: 'x' }, { method: 'PUT' });
  expect([
    none.status,
    (await send(`${path}/tags`, { as_of: one, tag: 'latest' }, { method: 'PUT' })).status,
  ]).toEqual([404, 422]);
});

test('when examples move between splits, then each move is one version', async () => {
  const id = await create();
  const ids = [String((await add(id))['id']), String((await add(id, { split: ['train'] }))['id'])];
  const put = (body: object) => send(`/datasets/${id}/splits`, body, { method: 'PUT' });
  expect((await put({ split_name: 'test', examples: ids })).body).toEqual(ids);
  expect((await put({ split_name: 'test', examples: ids })).body).toEqual([]);
  expect((await put({ split_name: 'train', examples: ids, remove: true })).body).toEqual([ids[1]]);
  expect((await send(`/datasets/${id}/splits`)).body).toEqual(['base', 'test']);
  expect((await send(`/datasets/${id}/versions`)).list.length).toBe(4);
  const changed = await send(
    `/v1/platform/datasets/${id}/examples/metadata`,
    {
      example_ids: [...ids, crypto.randomUUID()],
      operations: [
        { key: 'reviewed', operation: 'SET', value: { by: 'me' } },
        { key: 'dataset_split', operation: 'ARRAY_REMOVE', values: ['test'] },
        { key: 'labels', operation: 'ARRAY_ADD', values: ['a', 'b'] },
      ],
    },
    { method: 'PATCH' },
  );
  expect([
    changed.status,
    (changed.body['statuses'] as { status: string }[]).map(({ status }) => status),
  ]).toEqual([207, ['UPDATED', 'UPDATED', 'NOT_FOUND']]);
  expect((await send(`/examples/${ids[0] ?? ''}`)).body['metadata']).toEqual({
    dataset_split: ['base'],
    reviewed: { by: 'me' },
    labels: ['a', 'b'],
  });
});

test('when examples are listed, then words, metadata and filters find them, and they are sorted', async () => {
  const id = await create();
  const of = (more: object) => add(id, more);
  const [a, b] = [
    await of({ inputs: { q: 'Invoice 4200 is overdue' }, metadata: { t: { x: 1 }, u: 'a' } }),
    await of({ outputs: { a: 'paid invoice' }, metadata: { u: 'b' } }),
  ];
  const found = async (query: string) =>
    (await send(`/examples?dataset=${id}&${query}`)).list.map((one) => one['id']);
  expect(await found('full_text_contains=invoice')).toEqual([b['id'], a['id']]);
  expect(await found('full_text_contains=invoice&full_text_contains=overdue')).toEqual([a['id']]);
  expect(await found(`filter=${encodeURIComponent('exists(metadata, "t.x")')}`)).toEqual([a['id']]);
  expect(
    await found(
      `filter=${encodeURIComponent('or(has(metadata, \'{"u":"a"}\'), has("metadata", \'{"u":"b"}\'))')}&order=recently_created&descending=false`,
    ),
  ).toEqual([a['id'], b['id']]);
  expect(await found('order=id&limit=1&offset=1')).toHaveLength(1);
  expect(await found('order=random&random_seed=7')).toEqual(await found('order=random&random_seed=7'));
  expect((await send(`/examples/count?dataset=${id}&metadata={"u":"a"}`)).body).toBe(1);
  const everywhere = await send(`/examples?metadata={"u":"a","none":1}&as_of=${new Date().toISOString()}`);
  expect(everywhere.list.map((one) => one['id'])).toEqual([a['id']]);
  for (const filter of ['eq(name, "x")', 'has(metadata, "no json")', 'exists(metadata', 'search("x")'])
    expect([
      filter,
      (await send(`/examples?dataset=${id}&filter=${encodeURIComponent(filter)}`)).status,
    ]).toEqual([filter, 422]);
});
