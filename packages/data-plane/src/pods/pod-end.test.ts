import type { ContainerStatus, Pod, PodStatus } from '@roadstead/kubernetes';
import { expect, test } from 'vitest';
import { endOf, hasBegun } from './pod-end.ts';

const podOf = (status: PodStatus, metadata: object = {}): Pod => ({
  metadata,
  spec: { containers: [] },
  status,
});
const ofHost = (found: Omit<ContainerStatus, 'name'>): Pod =>
  podOf({ phase: 'Running', containerStatuses: [{ name: 'relay' }, { name: 'host', ...found }] });
const ended = (exitCode: number, reason = 'Error') => ({ state: { terminated: { exitCode, reason } } });

test.each([
  ['runs', ofHost({ state: { running: {} } }), undefined, true],
  ['waits', ofHost({ state: { waiting: { reason: 'PodInitializing' } } }), undefined, false],
  ['has no status yet', podOf({}), undefined, false],
  ['exited', ofHost(ended(3)), { kind: 'exited', code: 3 }, true],
  ['was killed', ofHost(ended(137)), { kind: 'killed', signal: 'SIGKILL' }, true],
  ['aborted', ofHost(ended(134)), { kind: 'killed', signal: 'SIGABRT' }, true],
  ['ran out of memory', ofHost(ended(137, 'OOMKilled')), { kind: 'out of memory' }, true],
  ['lost a part of it to memory', ofHost(ended(1, 'OOMKilled')), { kind: 'exited', code: 1 }, true],
  [
    'was started again',
    ofHost({ state: { running: {} }, lastState: { terminated: { exitCode: 1 } } }),
    { kind: 'exited', code: 1 },
    true,
  ],
  [
    'could not start',
    ofHost(ended(128, 'StartError')),
    expect.objectContaining({ kind: 'not started' }),
    true,
  ],
  [
    'was evicted',
    podOf({ phase: 'Failed', reason: 'Evicted' }),
    { kind: 'lost', why: 'its node ran short of what pods share, and evicted it.' },
    false,
  ],
  [
    'lost its node',
    podOf({ phase: 'Failed', reason: 'NodeLost' }),
    expect.objectContaining({ kind: 'lost' }),
    false,
  ],
  [
    'is deleted',
    podOf({ phase: 'Running' }, { deletionTimestamp: 'now' }),
    expect.objectContaining({ kind: 'lost' }),
    false,
  ],
])('when the container of a host %s, then that is its end or none', (_what, pod, end, begun) => {
  expect(endOf(pod, 'host')).toEqual(end);
  expect(hasBegun(pod, 'host')).toBe(begun);
});

test.each([
  'Pod ephemeral local storage usage exceeds the total limit of containers 1Gi. ',
  'Container agent exceeded its local ephemeral storage limit "1Gi". ',
  'Usage of EmptyDir volume "home" exceeds the limit "1Gi". ',
])('when a pod is evicted as "%s", then its end names the limit of disks', (message) => {
  const pod = podOf({ phase: 'Failed', reason: 'Evicted', message });
  expect(endOf(pod, 'host')).toEqual({
    kind: 'lost',
    why: expect.stringContaining('ROADSTEAD_HOST_DISK_MB') as string,
  });
});
