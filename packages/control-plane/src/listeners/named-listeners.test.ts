import { useFixturePerTest } from '@roadstead/testing';
import type { DeploymentCreateRequest, SourceKind } from '@roadstead/contracts/control-plane';
import { beforeEach, expect, test } from 'vitest';
import { FakeListener } from '../testing/fake-listener.ts';
import { createRequest, revisionsOf, startFixture } from '../testing/fixture.ts';
import { gitRequest } from '../testing/git.ts';

/** Two clusters of a workspace, each of which runs all sources: a deployment names one. */

const fixture = useFixturePerTest(startFixture);
let listeners: readonly { readonly id: string; readonly key: string }[];
beforeEach(async () => {
  const client = fixture().client();
  listeners = [];
  for (const compute_id of ['berlin', 'paris']) {
    const compute_config = { cluster_namespaces: [`${compute_id}-1`, `${compute_id}-2`] };
    const made = await client.createListener({
      body: { compute_type: 'cluster', compute_id, compute_config },
    });
    await new FakeListener({
      client: fixture().clientWith(made.key),
      listener_id: made.id,
      fetch: fixture().fetch,
    }).poll(0, ['archive', 'git', 'image']);
    listeners = [...listeners, made];
  }
});

const requests: Readonly<Record<SourceKind, DeploymentCreateRequest>> = {
  git: gitRequest('deployed'),
  external_image: {
    ...createRequest('deployed'),
    source: 'external_image',
    source_revision_config: { image_uri: 'registry.test/agent:1' },
  },
  internal_image: { ...createRequest('deployed'), source: 'internal_image', source_revision_config: {} },
  internal_source: createRequest('deployed'),
  internal_template: {
    ...createRequest('deployed'),
    source: 'internal_template',
    source_config: { template_id: 'typescript-starter' },
    source_revision_config: {},
  },
};

test.each(Object.values(requests))(
  'when two listeners run $source, then a deployment is where it names one, and stays there',
  async (request) => {
    const client = fixture().client();
    const at = (place: object) => ({ ...request, source_config: { ...request.source_config, ...place } });
    const listener_id = listeners[1]?.id ?? '';
    const listener_config = { cluster_namespace: 'paris-2' };
    await expect(client.createDeployment({ body: request })).rejects.toMatchObject({
      status: 400,
      message: expect.stringMatching(/^source_config.listener_id is required, /) as unknown,
    });
    await expect(
      client.createDeployment({ body: at({ listener_id: crypto.randomUUID() }) }),
    ).rejects.toMatchObject({
      status: 400,
      message: expect.stringMatching(/^source_config.listener_id names no listener/) as unknown,
    });
    await expect(
      client.createDeployment({
        body: at({ listener_id, listener_config: { cluster_namespace: 'berlin-1' } }),
      }),
    ).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('listener_config.cluster_namespace must be') as unknown,
    });
    const { id, source_config } = await client.createDeployment({
      body: at({ listener_id, listener_config }),
    });
    expect(source_config).toMatchObject({ listener_id, listener_config });
    expect(
      await fixture().db.query('select listener_id, namespace from assignments where deployment_id = $1', [
        id,
      ]),
    ).toEqual([{ listener_id, namespace: 'paris-2' }]);
    const params = { deployment_id: id };
    await client.patchDeployment({ params, body: { source_config: { listener_id, listener_config } } });
    expect(await revisionsOf(fixture(), id)).toHaveLength(1);
    await expect(
      client.patchDeployment({ params, body: { source_config: { listener_id: listeners[0]?.id } } }),
    ).rejects.toMatchObject({
      status: 400,
      message: 'source_config.listener_id of a deployment cannot be changed.',
    });
  },
);

test('when the only listener was chosen for a deployment, then a change may name it', async () => {
  const client = fixture().client();
  const [berlin, paris] = listeners;
  await client.deleteListener({ params: { listener_id: berlin?.id ?? '' } });
  const { id, source_config } = await client.createDeployment({ body: createRequest('deployed') });
  expect(source_config).toMatchObject({ listener_id: null, listener_config: null });
  const place = { listener_id: paris?.id, listener_config: { cluster_namespace: 'paris-1' } };
  const params = { deployment_id: id };
  const patched = await client.patchDeployment({ params, body: { source_config: place } });
  expect(patched.source_config).toMatchObject(place);
});

test('when references are taken away, then the next revision has none', async () => {
  const client = fixture().client();
  const place = { listener_id: listeners[0]?.id, listener_config: { cluster_namespace: 'berlin-1' } };
  const reference = { name: 'TOKEN', secret_name: 'keys', secret_key: 'token' };
  const { id, secret_references } = await client.createDeployment({
    body: { ...requests.external_image, source_config: place, secret_references: [reference] },
  });
  expect(secret_references).toEqual([reference]);
  const params = { deployment_id: id };
  for (const revisions of [2, 2]) {
    const patched = await client.patchDeployment({ params, body: { secret_references: [] } });
    expect(patched.secret_references).toBeNull();
    expect(await revisionsOf(fixture(), id)).toHaveLength(revisions);
  }
});
