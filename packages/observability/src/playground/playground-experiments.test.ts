import { useFixturePerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { MODEL_KEY, startFakeModels } from '../testing/fake-models.ts';
import { startKillable } from '../testing/killable-observability.ts';
import { OTHER_WORKSPACE } from '../testing/observability-fixture.ts';
import { startPlayground } from '../testing/playground-fixture.ts';

const started = useFixturePerTest(startPlayground);
const client = () => started().fixture.client();

const examples = ['one', 'two', 'three'];
const messages = [{ role: 'user', content: 'Say {{word}}.' }] as const;

async function addDataset(words = examples): Promise<string> {
  const { id } = await client().createDataset({ body: { name: `words ${crypto.randomUUID()}` } });
  for (const word of words) await started().fixture.post('/examples', { dataset_id: id, inputs: { word } });
  return id;
}

async function begin(model: string, more: { repetitions?: number; dataset_id?: string } = {}) {
  const provider = await started().addProvider();
  return client().createPlaygroundExperiment({
    body: {
      dataset_id: await addDataset(),
      model_provider_id: provider.id,
      model,
      messages: [...messages],
      ...more,
    },
  });
}

const read = (id: string) => client().readPlaygroundExperiment({ params: { playground_experiment_id: id } });

async function runsOf(session: string) {
  const answer = await started().fixture.post('/runs/query', { session: [session], limit: 100 });
  const { runs } = (await answer.json()) as { runs: Record<string, unknown>[] };
  return runs;
}

test('when an experiment runs, then each example has a run for each repetition, and it ends', async () => {
  const begun = await begin('good', { repetitions: 2 });
  expect(begun).toMatchObject({ status: 'running', total: 6, ended_at: null });
  await expect
    .poll(() => read(begun.id), { timeout: 10_000 })
    .toMatchObject({
      status: 'done',
      done: 6,
      waiting: 0,
      failed: 0,
      last_error: null,
    });
  const runs = await runsOf(begun.id);
  const byExample = Map.groupBy(runs, (run) => run['reference_example_id']);
  expect([...byExample.values()].map((some) => some.length)).toEqual([2, 2, 2]);
  expect(runs.every((run) => run['total_tokens'] === 17)).toBe(true);
  const asked = started().models.requests.map(({ body }) => JSON.stringify(body['messages']));
  expect(new Set(asked)).toEqual(
    new Set(examples.map((word) => JSON.stringify([{ role: 'user', content: `Say ${word}.` }]))),
  );
  const session = await client().readSession({ params: { session_id: begun.id } });
  expect(session).toMatchObject({ reference_dataset_id: begun.dataset_id, name: begun.name });
  expect(session.end_time).not.toBeNull();
  const { items } = await client().listPlaygroundExperiments({ query: { dataset_id: begun.dataset_id } });
  expect(items.map(({ id }) => id)).toEqual([begun.id]);
});

test('when calls fail for good, then their runs say so, and the experiment ends in words', async () => {
  const begun = await begin('status-401');
  await expect
    .poll(() => read(begun.id), { timeout: 10_000 })
    .toMatchObject({
      status: 'done',
      failed: 3,
      last_error: '401: No such key.',
    });
  const runs = await runsOf(begun.id);
  expect(runs.map((run) => run['error'])).toEqual(runs.map(() => '401: No such key.'));
  expect(started().models.requests).toHaveLength(3);
});

test('when a failure may pass, then the call is made again, as the same run', async () => {
  const dataset_id = await addDataset(['one']);
  const begun = await begin('flaky', { dataset_id });
  await expect.poll(() => read(begun.id), { timeout: 15_000 }).toMatchObject({ status: 'done', done: 1 });
  expect(started().models.requests).toHaveLength(2);
  expect(await runsOf(begun.id)).toHaveLength(1);
});

test('when an example lacks a variable, then its calls fail in words', async () => {
  const provider = await started().addProvider();
  const body = { dataset_id: await addDataset(), model_provider_id: provider.id, model: 'held' };
  const odd = await client().createPlaygroundExperiment({
    body: { ...body, messages: [{ role: 'user', content: '{{nothing}}' }] },
  });
  await expect
    .poll(() => read(odd.id), { timeout: 10_000 })
    .toMatchObject({
      status: 'done',
      failed: 3,
      last_error: 'The messages name variables that are not given: "nothing".',
    });
});

test('when an experiment is cancelled, then calls under way end, and none is made any more', async () => {
  const begun = await begin('held');
  await expect.poll(() => started().models.open()).toBe(3);
  const params = { playground_experiment_id: begun.id };
  expect(await client().cancelPlaygroundExperiment({ params })).toMatchObject({
    status: 'cancelled',
    cancelled: 3,
    waiting: 0,
  });
  await expect.poll(() => started().models.open(), { timeout: 10_000 }).toBe(0);
  expect(await client().cancelPlaygroundExperiment({ params })).toMatchObject({ status: 'cancelled' });
  expect(await runsOf(begun.id)).toEqual([]);
});

test('when the project of an experiment is deleted, then no call of it is made any more', async () => {
  const begun = await begin('held');
  await expect.poll(() => started().models.open()).toBe(3);
  await client().deleteSession({ params: { session_id: begun.id } });
  await expect.poll(() => started().models.open(), { timeout: 10_000 }).toBe(0);
  await expect(read(begun.id)).rejects.toMatchObject({ status: 404 });
});

test('when a dataset has no example, or is another workspace’s, then nothing begins', async () => {
  const provider = await started().addProvider();
  const body = { model_provider_id: provider.id, model: 'good', messages: [...messages] };
  const create = (dataset_id: string, workspace_id?: string) =>
    started()
      .fixture.client(workspace_id)
      .createPlaygroundExperiment({ body: { ...body, dataset_id } });
  await expect(create(await addDataset([]))).rejects.toMatchObject({ status: 400 });
  await expect(create(crypto.randomUUID())).rejects.toMatchObject({ status: 404 });
  await expect(create(await addDataset(), OTHER_WORKSPACE)).rejects.toMatchObject({ status: 404 });
});

test(
  'when the service is killed, then it goes on, and no example has two runs',
  { timeout: 90_000 },
  async () => {
    await using models = await startFakeModels();
    await using service = await startKillable();
    const provider = await service.client.createModelProvider({
      body: { name: 'local', kind: 'openai', base_url: models.baseOf('openai'), api_key: MODEL_KEY },
    });
    const { id: dataset_id } = await service.client.createDataset({ body: { name: 'words' } });
    for (const word of examples)
      await service.client.createExample({ body: { dataset_id, inputs: { word } } } as never);
    const begun = await service.client.createPlaygroundExperiment({
      body: { dataset_id, model_provider_id: provider.id, model: 'held', messages: [...messages] },
    });
    await expect.poll(() => models.open()).toBe(3);
    await service.kill();
    await service.start();
    models.release();
    const params = { playground_experiment_id: begun.id };
    await expect
      .poll(() => service.client.readPlaygroundExperiment({ params }), { timeout: 60_000 })
      .toMatchObject({ status: 'done', done: 3 });
    const rows = await service.db.query<{ example_id: string }>(
      'select reference_example_id as example_id from traces.runs where session_id = $1',
      [begun.id],
    );
    expect(new Set(rows.map(({ example_id }) => example_id)).size).toBe(3);
    expect(rows).toHaveLength(3);
  },
);
