import { ResourceSpec } from '@roadstead/contracts/control-plane';
import { expect, test } from 'vitest';
import { checkForCompute } from './machine-rules.ts';

const references = [{ name: 'TOKEN', secret_name: 'keys', secret_key: 'token' }];
const ofClusters: readonly [string, object][] = [
  ['annotations', { annotations: { a: 'b' } }],
  ['service_account_name', { service_account_name: 'agent' }],
  ['image_pull_secrets', { image_pull_secrets: [{ name: 'pull' }] }],
  ['volumes', { volumes: [{ name: 'data', emptyDir: {} }] }],
  ['volume_mounts', { volume_mounts: [{ name: 'data', mountPath: '/data' }] }],
  ['init_containers', { init_containers: [{ name: 'first', image: 'busybox:1' }] }],
  ['sidecars', { sidecars: [{ name: 'side', image: 'busybox:1' }] }],
];

test.each(ofClusters)(
  'when a machine is asked for %s, then it is refused by name; a cluster takes it',
  (field, spec) => {
    const fields = { resource_spec: ResourceSpec.parse(spec), secret_references: null };
    expect(() => checkForCompute('container', fields)).toThrow(`source_config.resource_spec.${field} is for`);
    expect(() => checkForCompute('cluster', fields)).not.toThrow();
  },
);

test('when a machine is asked for secrets of a cluster, then they are refused by name', () => {
  const fields = { resource_spec: null, secret_references: references };
  expect(() => checkForCompute('container', fields)).toThrow('secret_references is for listeners of compute');
});

test('when fields say what an engine can do, or nothing, then they are taken', () => {
  const resource_spec = ResourceSpec.parse({
    cpu: 1,
    memory_limit_mb: 512,
    min_scale: 1,
    labels: { team: 'a' },
    volumes: [],
    annotations: {},
  });
  expect(() => checkForCompute('container', { resource_spec, secret_references: [] })).not.toThrow();
});
