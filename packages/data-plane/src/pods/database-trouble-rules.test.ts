import type { DatabaseCluster } from '@roadstead/kubernetes';
import { expect, test } from 'vitest';
import { databaseTrouble } from './database-trouble-rules.ts';

type Status = DatabaseCluster['status'];

const cluster = (status: Status): DatabaseCluster => ({
  metadata: {},
  spec: { instances: 1 },
  ...(status === undefined ? {} : { status }),
});
const waiting = (reason: string, message: string) => ({
  metadata: {},
  spec: { containers: [] },
  status: {
    phase: 'Pending' as const,
    containerStatuses: [{ name: 'postgres', state: { waiting: { reason, message } } }],
  },
});

test.each<[string, Status, string, boolean]>([
  ['nothing', undefined, 'database_operator_away', true],
  ['that it is being set up', { phase: 'Setting up primary' }, 'database_not_ready', true],
  [
    'that it is not ready any more',
    { phase: 'Failing over', conditions: [{ type: 'Ready', status: 'False' }] },
    'database_not_ready',
    true,
  ],
  [
    'that it is beyond repair',
    { phase: 'Cluster is unrecoverable and needs manual intervention' },
    'database_lost',
    false,
  ],
  [
    'that it is asked for what it can’t do',
    { phase: 'Invalid cluster definition', phaseReason: 'no such class' },
    'database_refused',
    false,
  ],
])('when the operator says %s, then that is told, as passing or not', (_case, status, code, passes) => {
  expect(databaseTrouble(cluster(status), { pods: [] })).toMatchObject({ code, passes });
});

test('when the operator says that a server is ready, then nothing is wrong', () => {
  const conditions = [{ type: 'Ready', status: 'True' as const }];
  expect(databaseTrouble(cluster({ phase: 'any', conditions }), { pods: [] })).toBeUndefined();
});

test('when a pod of a server can’t run, then the words for pods are told, and it is waited for', () => {
  const pods = [waiting('ImagePullBackOff', 'Back-off pulling image "postgresql:17"')];
  const trouble = databaseTrouble(cluster({ phase: 'Setting up primary' }), { pods });
  expect(trouble).toMatchObject({
    code: expect.stringMatching(/^database_image/),
    sentence: expect.stringMatching(/^The database of the deployment does not run\. /),
    passes: true,
  });
});

test('when the operator says a lot, then that is cut', () => {
  const { sentence = '' } =
    databaseTrouble(cluster({ phase: 'Waiting', phaseReason: 'x'.repeat(5000) }), { pods: [] }) ?? {};
  expect(sentence.length).toBeLessThan(600);
});
