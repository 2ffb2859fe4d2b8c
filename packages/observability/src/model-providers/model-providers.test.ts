import { useFixturePerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { MODEL_KEY } from '../testing/fake-models.ts';
import { OTHER_WORKSPACE } from '../testing/observability-fixture.ts';
import { startPlayground } from '../testing/playground-fixture.ts';

const started = useFixturePerTest(startPlayground);
const client = (workspace_id?: string) => started().fixture.client(workspace_id);

test('when a provider is kept, then its key is sealed, and no answer shows it', async () => {
  const made = await started().addProvider('anthropic', { models: ['mine'] });
  expect(made).toMatchObject({ kind: 'anthropic', has_api_key: true, models: ['mine'] });
  const params = { model_provider_id: made.id };
  const answers = [
    made,
    await client().readModelProvider({ params }),
    await client().listModelProviders({}),
    await client().patchModelProvider({ params, body: { name: 'renamed' } }),
  ];
  expect(JSON.stringify(answers)).not.toContain(MODEL_KEY);
  const rows = await started().fixture.fresh.db.query('select * from traces.model_providers');
  expect(JSON.stringify(rows)).not.toContain(MODEL_KEY);
  expect(await client().listProviderModels({ params })).toEqual({ models: ['mine', 'good'], problem: null });
  await client().deleteModelProvider({ params });
  await expect(client().readModelProvider({ params })).rejects.toMatchObject({ status: 404 });
});

test('when no address is given, then it is that of the service', async () => {
  const kinds = ['openai', 'anthropic', 'google'] as const;
  const addresses = await Promise.all(
    kinds.map(async (kind) => (await client().createModelProvider({ body: { name: kind, kind } })).base_url),
  );
  expect(addresses).toEqual([
    'https://api.openai.com/v1',
    'https://api.anthropic.com',
    'https://generativelanguage.googleapis.com/v1beta',
  ]);
});

test('when the address changes, then the key must be sent again, so that it goes nowhere else', async () => {
  const { id, base_url } = await started().addProvider();
  const params = { model_provider_id: id };
  const patch = (body: object) => client().patchModelProvider({ params, body });
  await expect(patch({ base_url: 'https://elsewhere.test/v1' })).rejects.toMatchObject({ status: 422 });
  expect(await patch({ base_url, models: [] })).toMatchObject({ has_api_key: true });
  expect(await patch({ base_url: 'https://elsewhere.test/v1', api_key: null })).toMatchObject({
    has_api_key: false,
    base_url: 'https://elsewhere.test/v1',
  });
});

test('when an address may not be called, a name is taken or a key is odd, then it is refused', async () => {
  const create = (body: object) =>
    started().fixture.post('/v2/model-providers', { name: 'new', kind: 'openai', ...body });
  await started().addProvider();
  const statuses = await Promise.all(
    [
      { base_url: 'http://169.254.169.254/v1' },
      { base_url: 'http://user:secret@a.test/v1' },
      { base_url: 'ftp://a.test' },
      { base_url: 'https://a.test/v1?x=1' },
      { api_key: 'two\r\nlines' },
      { name: 'openai' },
      { kind: 'other' },
    ].map(async (body) => (await create(body)).status),
  );
  expect(statuses).toEqual([400, 400, 422, 422, 422, 409, 422]);
});

test('when a provider names no models, then the answer says why, with those of the workspace', async () => {
  const { id } = await started().addProvider('openai', { api_key: 'sk-wrong', models: ['mine'] });
  expect(await client().listProviderModels({ params: { model_provider_id: id } })).toEqual({
    models: ['mine'],
    problem: 'Incorrect API key: ….',
  });
});

test('when another workspace asks, then it finds nothing and changes nothing', async () => {
  const { id } = await started().addProvider();
  const params = { model_provider_id: id };
  const theirs = client(OTHER_WORKSPACE);
  const calls = [
    () => theirs.readModelProvider({ params }),
    () => theirs.patchModelProvider({ params, body: { name: 'theirs' } }),
    () => theirs.deleteModelProvider({ params }),
    () => theirs.listProviderModels({ params }),
  ];
  for (const call of calls) await expect(call()).rejects.toMatchObject({ status: 404 });
  expect((await theirs.listModelProviders({})).items).toEqual([]);
  expect(await client().readModelProvider({ params })).toMatchObject({ name: 'openai' });
});
