import { silentLog } from '@roadstead/kit';
import type { KubernetesClient, Pod, StoredObject } from '@roadstead/kubernetes';
import { expect, onTestFinished, test, vi } from 'vitest';
import { PodGroup } from './pod-group.ts';

const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: '0' };

/** A group in a cluster that takes everything, and the pods whose end was asked for. */
function openGroup() {
  const ended: string[] = [];
  const remove = vi.fn((resource: string, { name }: { readonly name: string }) => {
    if (resource === 'pods') ended.push(name);
    return Promise.resolve();
  });
  const list = () => Promise.resolve({ items: [] });
  const left = Promise.withResolvers<void>();
  const scale = vi.fn(() => Promise.resolve());
  const group = new PodGroup({
    cluster: { delete: remove, list } as unknown as KubernetesClient,
    name: 'group',
    container: 'server',
    secrets: ['group'],
    ensureOwner: () => Promise.resolve(owner),
    doubtOwner: () => undefined,
    prepare: () => Promise.resolve(),
    scale,
    onEmpty: left.resolve,
    log: silentLog,
  });
  const keeper = group.join();
  onTestFinished(async () => {
    keeper.end({ kind: 'killed', signal: 'SIGKILL' });
    await left.promise;
  });
  return { group, keeper, ended, scale };
}

const podOf = (name: string) =>
  ({
    metadata: { name, uid: name },
    status: { phase: 'Running', containerStatuses: [{ name: 'server', state: { running: {} } }] },
  }) as unknown as StoredObject<Pod>;

test('when a pod is gone before its member has left, then its end is not asked for', async () => {
  const { group, ended, scale } = openGroup();
  group.see(podOf('keeps'));
  const member = group.join();
  group.see(podOf('goes'));
  expect(member.pod?.metadata.name).toBe('goes');
  await expect.poll(() => scale.mock.lastCall).toEqual([owner, 2]);
  group.gone(podOf('goes'));
  expect(await member.ended).toMatchObject({ kind: 'lost' });
  await expect.poll(() => scale.mock.lastCall).toEqual([owner, 1]);
  expect(ended).toEqual([]);
});

test('when a member leaves its pod, then its end is asked for once, until it is gone', async () => {
  const { group, ended, scale } = openGroup();
  group.see(podOf('keeps'));
  const member = group.join();
  group.see(podOf('goes'));
  member.end({ kind: 'killed', signal: 'SIGTERM' });
  await expect.poll(() => ended).toEqual(['goes']);
  // What its node still says of it, nobody gets.
  group.see(podOf('goes'));
  const next = group.join();
  await expect.poll(() => scale.mock.lastCall).toEqual([owner, 2]);
  expect(next.pod).toBeUndefined();
  group.gone(podOf('goes'));
  expect(ended).toEqual(['goes']);
  next.end({ kind: 'killed', signal: 'SIGKILL' });
});

test('when a member retires, then the cluster knows first, and how its pod ended is told', async () => {
  const { group, ended, scale } = openGroup();
  group.see(podOf('keeps'));
  const member = group.join();
  group.see(podOf('goes'));
  await expect.poll(() => scale.mock.lastCall).toEqual([owner, 2]);
  await member.retire(30);
  expect(ended).toEqual(['goes']);
  await expect.poll(() => scale.mock.lastCall).toEqual([owner, 1]);
  const going = podOf('goes');
  const metadata = { ...going.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' };
  group.see({ ...going, metadata });
  expect(member.hasEnded).toBe(false);
  const state = { terminated: { exitCode: 0 } };
  group.see({ ...going, metadata, status: { containerStatuses: [{ name: 'server', state }] } });
  expect(await member.ended).toEqual({ kind: 'exited', code: 0 });
});

test('when the last member retires, then its pod goes with the scale, and nothing replaces it', async () => {
  const { group, keeper, ended, scale } = openGroup();
  const pod = podOf('keeps');
  group.see(pod);
  await expect.poll(() => scale.mock.lastCall).toEqual([owner, 1]);
  const retired = keeper.retire(30);
  await expect.poll(() => scale.mock.lastCall).toEqual([owner, 0]);
  expect(ended).toEqual([]);
  group.see({ ...pod, metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } });
  await retired;
  expect(keeper.hasEnded).toBe(false);
});
