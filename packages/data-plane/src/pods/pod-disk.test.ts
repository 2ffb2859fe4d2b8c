import { expect, test } from 'vitest';
import { withDiskLimit } from './pod-disk.ts';

test('when a pod has a bound on its disk, then its container and its volumes on the node have it', () => {
  const container = { name: 'agent', image: 'i', resources: { limits: { memory: '64Mi' } } };
  const beside = { name: 'other', image: 'i' };
  const sidecar = {
    name: 'sidecar',
    image: 'i',
    resources: { limits: { memory: '1Gi', 'ephemeral-storage': '10Ti' }, requests: { cpu: '1' } },
  };
  const volumes = [
    { name: 'home', emptyDir: {} },
    { name: 'socket', emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } },
    { name: 'secret', secret: { secretName: 's' } },
  ];
  const limits = { container: 'agent', disk_mb: 2048 };
  expect(
    withDiskLimit({ initContainers: [sidecar], containers: [container, beside], volumes }, limits),
  ).toEqual({
    initContainers: [{ ...sidecar, resources: { limits: { memory: '1Gi' }, requests: { cpu: '1' } } }],
    containers: [
      {
        ...container,
        resources: {
          requests: { 'ephemeral-storage': '64Mi' },
          limits: { memory: '64Mi', 'ephemeral-storage': '2048Mi' },
        },
      },
      beside,
    ],
    volumes: [{ name: 'home', emptyDir: { sizeLimit: '2048Mi' } }, volumes[1], volumes[2]],
  });
});
