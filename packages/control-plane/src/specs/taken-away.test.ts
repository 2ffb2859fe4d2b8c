import { expect, test } from 'vitest';
import type { z } from 'zod';
import { type DeploymentPatchRequest, ResourceSpec } from '@roadstead/contracts/control-plane';
import { deriveFirst, deriveRevision, type PatchedDeployment } from './revision-rules.ts';

const LISTENER = '11111111-1111-4111-8111-111111111111';

/** The deployment of an image whose resources say all that they can in lists and maps. */
function imageDeployment(change: Partial<PatchedDeployment> = {}): PatchedDeployment {
  const { source_config, revision } = deriveFirst({
    name: 'image',
    source: 'external_image',
    source_config: {
      listener_id: LISTENER,
      listener_config: { cluster_namespace: 'agents' },
      resource_spec: { cpu: 1, ...lists },
    },
    source_revision_config: { image_uri: 'a:1' },
    secrets: [{ name: 'A', value: '1' }],
    secret_references: references,
  });
  return {
    name: 'image',
    source: 'external_image',
    source_config,
    url: null,
    config: revision,
    secret_names: ['A'],
    listener_id: LISTENER,
    namespace: 'agents',
    ...change,
  };
}

const references = [{ name: 'TOKEN', secret_name: 'keys', secret_key: 'token' }];
const volume_mounts = [{ name: 'data', mountPath: '/data' }];
const lists = {
  labels: { team: 'a' },
  annotations: { note: 'b' },
  image_pull_secrets: [{ name: 'pull' }],
  volumes: [{ name: 'data', emptyDir: {} }],
  volume_mounts,
  init_containers: [
    { name: 'first', image: 'b:1', args: ['a'], env: [{ name: 'B', value: '1' }], envFrom: [{}] },
  ],
  sidecars: [{ name: 'side', image: 'b:1', command: ['b'], volumeMounts: volume_mounts }],
};

test('when a resource spec has a list or map, then the test of taking it away has it', () => {
  const swept = Object.entries((ResourceSpec.def.out as z.ZodObject).shape).filter(
    ([, field]) => field.safeParse([]).success || (field as z.ZodType).safeParse({}).success,
  );
  expect(swept.map(([name]) => name)).toEqual(Object.keys(lists));
});

test.each(
  Object.keys(lists).flatMap((name) =>
    [null, undefined, name === 'labels' || name === 'annotations' ? {} : []].map((value) => ({
      name,
      value,
    })),
  ),
)(
  'when a new resource spec has $value in $name, then the last one there is taken away',
  ({ name, value }) => {
    const mounts = name === 'volumes' ? { volume_mounts: [], sidecars: [] } : {};
    const resource_spec = { ...lists, ...mounts, [name]: value };
    const { revision, source_config } = deriveRevision(imageDeployment(), {
      source_config: { resource_spec },
    });
    for (const spec of [revision?.resource_spec, source_config.resource_spec])
      expect(Object.keys(spec?.[name as keyof typeof lists] ?? {})).toEqual([]);
    expect(revision).toMatchObject({ image_uri: 'a:1', secret_references: references });
  },
);

test('when a new resource spec is empty, then it takes all of the present one away; null nothing', () => {
  const of_image = (resource_spec: ResourceSpec | null) =>
    deriveRevision(imageDeployment(), { source_config: { resource_spec } });
  expect(of_image({}).revision?.resource_spec).toEqual({});
  expect(of_image(null).revision).toBeUndefined();
  expect(of_image(null).source_config.resource_spec).toMatchObject(lists);
});

test.each([7, 13])('when a limit of %i connections was stored, then it may stay, and no other', (most) => {
  const { source_config } = imageDeployment();
  const stored = imageDeployment({
    source_config: { ...source_config, resource_spec: { db_max_connections: most } },
  });
  const asked = (db_max_connections: number) =>
    deriveRevision(stored, { source_config: { resource_spec: { cpu: 2, db_max_connections } } });
  expect(asked(most).revision?.resource_spec).toMatchObject({ cpu: 2, db_max_connections: most });
  for (const other of [1, most - 1, most === 13 ? 12 : 13])
    expect(() => asked(other)).toThrow('db_max_connections must be at least 14');
  expect(asked(14).revision).toBeDefined();
});

test.each<[string, DeploymentPatchRequest, object | undefined]>([
  ['no references', {}, undefined],
  ['null', { secret_references: null }, undefined],
  ['an empty list', { secret_references: [] }, { secret_references: [] }],
  [
    'another image and no references',
    { source_revision_config: { image_uri: 'a:2' } },
    { secret_references: references },
  ],
  [
    'another image and an empty list',
    { source_revision_config: { image_uri: 'a:2' }, secret_references: [] },
    { secret_references: [] },
  ],
  [
    'other references',
    { secret_references: [{ ...references[0]!, name: 'C' }] },
    { secret_references: [{ name: 'C' }] },
  ],
  ['an empty list of secrets', { secrets: [] }, undefined],
  ['an empty place', { source_config: { listener_config: {} } }, undefined],
])('when a patch of references has %s, then the next revision has them so', (_case, patch, revision) => {
  const derived = deriveRevision(imageDeployment(), patch);
  expect(derived.revision === undefined).toBe(revision === undefined);
  expect(derived.revision ?? {}).toMatchObject(revision ?? {});
  expect(derived.source_config.listener_config).toEqual({ cluster_namespace: 'agents' });
});

test('when references are taken away where there are none, then that is unchanged', () => {
  const { config } = imageDeployment();
  const without = imageDeployment({ config: { ...config, secret_references: [] } });
  expect(deriveRevision(without, { secret_references: [] }).revision).toBeUndefined();
});
