import type { PodFields } from '@roadstead/contracts/control-plane';
import type { PodSpec } from '@roadstead/kubernetes';
import { expect, test } from 'vitest';
import { withFields } from './pod-fields.ts';

const pod: PodSpec = {
  automountServiceAccountToken: false,
  initContainers: [{ name: 'ours', image: 'ours' }],
  containers: [
    {
      name: 'agent',
      image: 'theirs',
      env: [{ name: 'A', value: 'ours' }],
      resources: { limits: { memory: '1Gi' } },
    },
  ],
  volumes: [{ name: 'ours', emptyDir: {} }],
};
const put = (fields: Partial<PodFields>) =>
  withFields(pod, { container: 'agent', fields: { secret_references: [], ...fields } });

test('when nothing is said, then a pod is as it was', () => {
  expect(withFields(pod, { container: 'agent', fields: undefined })).toBe(pod);
  expect(put({})).toMatchObject(pod);
});

test('when the operator has pull secrets, then those of the deployment come beside them, once', () => {
  const operators = { ...pod, imagePullSecrets: [{ name: 'operator' }] };
  const named = { secret_references: [], image_pull_secrets: [{ name: 'own' }, { name: 'operator' }] };
  const { imagePullSecrets } = withFields(operators, {
    container: 'agent',
    fields: named,
    pull_secret: 'ours',
  });
  expect(imagePullSecrets).toEqual([{ name: 'operator' }, { name: 'own' }, { name: 'ours' }]);
  const bare = withFields(operators, { container: 'agent', fields: undefined, pull_secret: 'ours' });
  expect(bare.imagePullSecrets).toEqual([{ name: 'operator' }, { name: 'ours' }]);
});

test.each<[string, Partial<PodFields>, unknown]>([
  [
    'service_account_name',
    { service_account_name: 'robot' },
    { serviceAccountName: 'robot', automountServiceAccountToken: true },
  ],
  [
    'image_pull_secrets',
    { image_pull_secrets: [{ name: 'login' }] },
    { imagePullSecrets: [{ name: 'login' }] },
  ],
  [
    'volumes',
    { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' }, nfs: null }] },
    {
      volumes: [
        { name: 'ours', emptyDir: {} },
        { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
      ],
    },
  ],
  [
    'volume_mounts',
    { volume_mounts: [{ name: 'data', mountPath: '/data', subPath: null }] },
    { containers: [{ volumeMounts: [{ name: 'data', mountPath: '/data' }] }] },
  ],
  [
    'init_containers',
    { init_containers: [{ name: 'first', image: 'first', command: ['true'] }] },
    {
      initContainers: [
        { name: 'first', securityContext: { allowPrivilegeEscalation: false } },
        { name: 'ours' },
      ],
    },
  ],
  [
    'sidecars',
    { sidecars: [{ name: 'beside', image: 'beside', securityContext: { privileged: true } }] },
    {
      initContainers: [{ restartPolicy: 'Always', securityContext: { privileged: true } }, { name: 'ours' }],
    },
  ],
  [
    'cpu and memory_mb',
    { cpu: 0.5, memory_mb: 300 },
    {
      containers: [{ resources: { limits: { memory: '1Gi' }, requests: { cpu: '500m', memory: '300Mi' } } }],
    },
  ],
  [
    'secret_references',
    { secret_references: [{ name: 'KEY', secret_name: 'keys', secret_key: 'one' }] },
    {
      containers: [
        { env: [{ name: 'KEY', valueFrom: { secretKeyRef: { name: 'keys', key: 'one' } } }, { name: 'A' }] },
      ],
    },
  ],
])('when %s is set, then the pod has it, and what is ours', (_field, fields, expected) => {
  expect(put(fields)).toMatchObject(expected as object);
});
