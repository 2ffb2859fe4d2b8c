import { expect, test } from 'vitest';
import type { DatabaseCluster } from '@roadstead/kubernetes';
import type { DatabaseResources } from '../databases/databases.ts';
import { databaseServer, isAsWanted } from './database-manifest.ts';

const names = {
  deployment_id: '0199d3a0-0000-7000-8000-000000000001',
  name: 'My Agent',
  owner: 'listener',
  object_name: 'db-1',
  default_gi: 10,
  storage_class: undefined,
  live: undefined,
};
const made = (resources: DatabaseResources, more: object = {}) =>
  databaseServer({ ...names, resources, ...more });
const with_size = (size: string): DatabaseCluster => ({
  metadata: {},
  spec: { instances: 1, storage: { size, storageClass: 'slow' } },
});

test('when nothing is asked for, then a server has what the operator sets', () => {
  expect(made({})).toEqual({
    metadata: {
      name: 'db-1',
      labels: {
        'app.kubernetes.io/name': 'roadstead-agent',
        'app.kubernetes.io/component': 'database',
        'app.kubernetes.io/part-of': 'roadstead',
        'app.kubernetes.io/managed-by': 'roadstead',
        'app.kubernetes.io/instance': 'my-agent',
        'roadstead.dev/deployment-id': names.deployment_id,
        'roadstead.dev/data-plane': 'listener',
      },
    },
    spec: {
      instances: 1,
      bootstrap: {
        initdb: {
          database: 'agent_0199d3a0000070008000000000000001',
          owner: 'agent_0199d3a0000070008000000000000001',
        },
      },
      postgresql: { parameters: { max_connections: '100' } },
      resources: { requests: {}, limits: {} },
      storage: { size: '10Gi' },
    },
  });
});

test.each<[string, DatabaseResources, object]>([
  ['cores', { cpus: 2, cpu_limit: 2.5 }, { requests: { cpu: '2' }, limits: { cpu: '2500m' } }],
  [
    'memory',
    { memory_mb: 1536, memory_limit_mb: 4096 },
    { requests: { memory: '1536Mi' }, limits: { memory: '4Gi' } },
  ],
  ['a terabyte', { memory_limit_mb: 1_048_576 }, { requests: {}, limits: { memory: '1Ti' } }],
])('when %s are asked for, then its pod gets them', (_case, resources, expected) => {
  expect(made(resources).spec.resources).toEqual(expected);
});

test.each([
  [14, '17'],
  [1, '17'],
  [200, '203'],
])('when %i connections are asked for, then the server takes %s', (connections, expected) => {
  expect(made({ connections }).spec.postgresql?.parameters).toEqual({ max_connections: expected });
});

test.each<[string, DatabaseResources, string | undefined, string]>([
  ['a quota', { storage_gi: 5 }, undefined, '7Gi'],
  ['a larger one than before', { storage_gi: 20 }, '7Gi', '22Gi'],
  ['a smaller one than before', { storage_gi: 1 }, '7Gi', '7Gi'],
  ['none any more', {}, '7Gi', '10Gi'],
  ['one where somebody set the size', { storage_gi: 20 }, '7500Mi', '7500Mi'],
])('when a revision has %s, then the volume has room for it', (_case, resources, before, size) => {
  const live = before === undefined ? undefined : with_size(before);
  expect(made(resources, { live, storage_class: 'fast' }).spec.storage).toEqual({
    size,
    storageClass: live === undefined ? 'fast' : 'slow',
  });
});

test.each<[string, DatabaseResources, boolean]>([
  ['the same', { cpus: 1 }, true],
  ['fewer cores', { cpus: 0.5 }, false],
  ['no cores', {}, false],
  ['another limit of memory', { cpus: 1, memory_limit_mb: 512 }, false],
  ['other connections', { cpus: 1, connections: 20 }, false],
  ['more room', { cpus: 1, storage_gi: 20 }, false],
])('when a revision wants %s, then whether that is there is known', (_case, resources, expected) => {
  const live = made({ cpus: 1 });
  // The operator adds to it.
  const parameters = { ...live.spec.postgresql?.parameters, wal_level: 'logical' };
  const completed = { ...live, spec: { ...live.spec, postgresql: { parameters } } };
  expect(isAsWanted(completed, made(resources))).toBe(expected);
});
