import type { ImageCheck } from '@roadstead/containers';
import { expect, test } from 'vitest';
import { serverDeployment } from './server-manifests.ts';

const check: ImageCheck = {
  command: ['/bin/sh', '-c', 'wget -q localhost:$PORT/$(HEALTH)'],
  interval_s: 20,
  start_interval_s: 5,
  timeout_s: 3,
  retries: 4,
};

function containerWith(own: ImageCheck | undefined) {
  const { spec } = serverDeployment(
    {
      image: { reference: 'registry/server@sha256:1', port: 8000, labels: {}, check: own },
      memory_mb: 256,
      cpus: undefined,
    },
    {
      name: 'server',
      labels: {},
      annotations: {},
      owner: { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: '1' },
      replicas: 1,
      disk_mb: 1024,
    },
  );
  return spec.template.spec.containers[0];
}

test('when an image brings a check, then the pod is ready by it, in the words that it has', () => {
  const exec = { command: ['/bin/sh', '-c', 'wget -q localhost:$$PORT/$$(HEALTH)'] };
  expect(containerWith(check)).toMatchObject({
    readinessProbe: { exec, periodSeconds: 20, timeoutSeconds: 3, failureThreshold: 4 },
    // Often until it has begun to serve; no number of failures ends it then.
    startupProbe: { exec, periodSeconds: 5, timeoutSeconds: 3, failureThreshold: 1_000_000 },
  });
});

test('when an image brings a check, then its failure ends no pod', () => {
  expect(containerWith(check)).not.toHaveProperty('livenessProbe');
});

test('when an image brings no check, then its pod has no probe', () => {
  const container = containerWith(undefined);
  for (const probe of ['readinessProbe', 'startupProbe', 'livenessProbe'])
    expect(container).not.toHaveProperty(probe);
});
