import { useFixture } from '@roadstead/testing';
import { Client } from 'langsmith';
import { expect, test } from 'vitest';
import { OTHER_WORKSPACE, startFixture, WORKSPACE } from '../testing/observability-fixture.ts';

/** Datasets that are shared by link, and copies of them. */

const fixture = useFixture(startFixture);
const http = useFixture(() => fixture().listen());
const client = useFixture(
  () => new Client({ apiUrl: http().url, apiKey: `key-${WORKSPACE}`, autoBatchTracing: false }),
);
const stranger = useFixture(
  () => new Client({ apiUrl: http().url, apiKey: `key-${OTHER_WORKSPACE}`, autoBatchTracing: false }),
);

const send = async (path: string, body?: object, method = body === undefined ? 'GET' : 'POST') => {
  const headers = { 'content-type': 'application/json', 'x-api-key': `key-${WORKSPACE}` };
  const answer = await fetch(http().url + path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return {
    status: answer.status,
    body: JSON.parse(text) as Record<string, unknown> & Record<string, unknown>[],
  };
};
const open = async (path: string) => {
  const answer = await fetch(http().url + path);
  return { status: answer.status, body: JSON.parse(await answer.text()) as Record<string, unknown>[] };
};

let count = 0;
async function filledDataset(): Promise<string> {
  const { id } = await client().createDataset(`shared ${(count += 1)}`, { description: 'of questions' });
  await client().createExamples([
    {
      dataset_id: id,
      inputs: { q: 1 },
      outputs: { a: 1 },
      split: 'test',
      attachments: { f: ['text/plain', Buffer.from('x')] },
    },
    { dataset_id: id, inputs: { q: 2 }, metadata: { k: 'v' } },
  ]);
  return id;
}

test('when a dataset is shared by a link, then it is read without a key until that is removed', async () => {
  const id = await filledDataset();
  expect((await send(`/datasets/${id}/share`)).body).toBeNull();
  const { share_token } = await client().shareDataset(id);
  expect((await client().readDatasetSharedSchema(id)).share_token).toBe(share_token);
  const read = await open(`/public/${share_token}/datasets`);
  expect(read).toMatchObject({ status: 200, body: { id, example_count: 2, description: 'of questions' } });
  // The address of the link that clients print.
  expect(await open(`/public/${share_token}/d`)).toEqual(read);
  expect(Object.keys(read.body)).not.toContain('tenant_id');
  const { body } = await open(`/public/${share_token}/examples`);
  expect(body).toMatchObject([
    { inputs: { q: 1 }, attachment_urls: { 'attachment.f': {} } },
    { inputs: { q: 2 } },
  ]);
  expect(
    (await stranger().listSharedExamples(share_token, { exampleIds: [String(body[1]?.['id'])] })).length,
  ).toBe(1);
  expect((await open(`/public/${share_token}/examples/count?splits=test`)).body).toBe(1);
  await stranger().clonePublicDataset(share_token, { datasetName: 'mine now' });
  const cloned = [];
  for await (const { inputs } of stranger().listExamples({ datasetName: 'mine now' })) cloned.push(inputs);
  expect(cloned).toEqual([{ q: 1 }, { q: 2 }]);
  await client().unshareDataset(id);
  expect((await open(`/public/${share_token}/datasets`)).status).toBe(404);
});

test('when a dataset is shared, then its experiments are only where that was asked for', async () => {
  const id = await filledDataset();
  const session = await client().createProject({ projectName: `experiment ${id}`, referenceDatasetId: id });
  const run = '0199d3a0-0000-7000-8000-0000000000f1';
  await client().createRun({
    id: run,
    name: 'r',
    run_type: 'chain',
    inputs: { q: 1 },
    project_name: `experiment ${id}`,
  });
  const { share_token } = (await send(`/datasets/${id}/share`, {}, 'PUT')).body;
  const link = `/public/${String(share_token)}/datasets`;
  expect((await open(`${link}/sessions`)).body).toEqual([]);
  expect((await open(`${link}/runs/${run}`)).status).toBe(404);
  expect((await open(`${link}/comparative`)).status).toBe(404);
  await send(`/datasets/${id}/share?share_projects=true`, {}, 'PUT');
  expect((await open(`${link}/sessions`)).body).toMatchObject([{ id: session.id, run_count: 1 }]);
  expect((await open(`/public/datasets/sessions-bulk?share_tokens=${String(share_token)}`)).body.length).toBe(
    1,
  );
  const read = await open(`${link}/runs/${run}`);
  expect(read).toMatchObject({ status: 200, body: { id: run, inputs: { q: 1 } } });
  expect(Object.keys(read.body)).not.toContain('share_token');
  await client().createFeedback(run, 'helpful', { score: 1, comment: 'yes' });
  const feedback = await open(`${link}/feedback?key=helpful`);
  expect(feedback).toMatchObject({ status: 200, body: [{ run_id: run, score: 1, comment: 'yes' }] });
  expect((await send(`${link}/runs/stats`, { is_root: true })).body).toMatchObject({ run_count: 1 });
  const runs = await send(`${link}/runs/query`, { is_root: true });
  expect(runs.body['runs']).toMatchObject([{ id: run, session_id: session.id }]);
});

test('when examples are copied with their files, then all of them go or none does', async () => {
  const [source, target] = [await filledDataset(), (await client().createDataset(`copy ${count}`)).id];
  const clone = (more: object) =>
    send('/datasets/clone', { source_dataset_id: source, target_dataset_id: target, ...more });
  const copied = await clone({ split: 'test' });
  expect(copied).toMatchObject({
    status: 200,
    body: [{ dataset_id: target, inputs: { q: 1 }, attachment_urls: { 'attachment.f': {} } }],
  });
  expect((await clone({ as_of: '2020-01-01T00:00:00Z' })).body).toEqual([]);
  const schema = { properties: { q: { maximum: 1 } } };
  await send(`/datasets/${target}`, { inputs_schema_definition: schema }, 'PATCH');
  expect((await clone({})).status).toBe(422);
  expect((await send(`/datasets/${target}`)).body['example_count']).toBe(1);
  expect((await clone({ examples: ['0199d3a0-0000-7000-8000-00000000ffff'] })).status).toBe(404);
});

test('when datasets are listed, then they come page by page, filtered and sorted', async () => {
  for (const name of ['listed b', 'listed a', 'listed c'])
    await client().createDataset(name, { metadata: { of: 'this test' } });
  const names: unknown[] = [];
  let cursor = '';
  do {
    const { body } = await send(
      `/v2/datasets?metadata={"of":"this test"}&sort_by=name&sort_order=asc&page_size=2&cursor=${cursor}`,
    );
    names.push(...(body['items'] as { name: string }[]).map(({ name }) => name));
    const next: unknown = body['next_cursor'];
    cursor = typeof next === 'string' ? next : '';
  } while (cursor !== '');
  expect(names).toEqual(['listed a', 'listed b', 'listed c']);
  const [counted] = (await send('/datasets?name=listed%20a&exclude=example_count')).body;
  expect(counted).toMatchObject({ name: 'listed a', example_count: null, metadata: { of: 'this test' } });
  expect((await send('/v2/datasets?cursor=nonsense')).status).toBe(422);
});
