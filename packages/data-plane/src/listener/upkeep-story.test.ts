import { mkdir, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useListener, wait } from '../testing/use-listener.ts';

/** The listener removes all that deployments leave behind. */

const { fixture, revisionOf, deployed, served, upOf } = useListener();

test('when many revisions leave things behind, then they are pruned as revisions come', async () => {
  for (let at = 0; at < 14; at += 1) await deployed(`number ${at}`);
  const ready = join(fixture().config.data_folder, 'artifacts', 'ready');
  const folders = async () => (await readdir(ready)).filter((name) => !name.includes('.')).length;
  // The revision that serves, the one before it, and ten to go back to.
  await expect.poll(folders, wait).toBe(12);
});

test('when a fence is stale, then the listener begins again with a fence of its own', async () => {
  const { id, revision } = await deployed();
  fixture().control.takeLease();
  await expect.poll(() => fixture().control.restarts, wait).toBe(2);
  expect(await served()).toEqual({ revision_id: revision.id });
  const { revision: next } = await deployed('next');
  expect(fixture().control.activeOf(id)).toBe(next.id);
  expect(await fixture().countBuilds()).toBe(2);
});

test('when a deployment is deleted, then it stops; when it is purged, then nothing is left here', async () => {
  const { id } = await deployed('one');
  await deployed('two');
  const other = await revisionOf('works', 'other');
  const otherId = fixture().control.desire('other', { revision: other });
  await expect.poll(() => fixture().control.activeOf(otherId), wait).toBe(other.id);
  const told = () =>
    fixture().control.observations.filter((seen) => seen.deployment_id === id && seen.revision_id === null);
  fixture().control.desire('mine', { removed: true });
  await expect.poll(() => told().length, wait).toBe(1);
  expect(upOf(id)).toBeUndefined();
  expect((await fixture().call('/agents/mine/info')).status).toBe(404);
  expect(fixture().runtime.forgotten).toEqual([]);
  fixture().control.desire('mine', { removed: true, purge: true });
  await expect.poll(() => told().length, wait).toBe(2);
  expect(fixture().runtime.forgotten).toEqual([id]);
  const kept = await readdir(join(fixture().config.data_folder, 'artifacts', 'ready'));
  expect(new Set(kept.map((name) => `sha256:${name.split('.')[0] ?? ''}`))).toEqual(
    new Set([other.artifact_digest]),
  );
  expect(await fixture().call('/agents/other/info')).toMatchObject({ body: { revision_id: other.id } });
});

test('when a Python was not removed to its end, then the rest goes as revisions come', async () => {
  const folder = join(fixture().config.data_folder, 'pythons');
  await mkdir(join(folder, '.gone', 'cpython-3.13.0'), { recursive: true });
  await symlink('cpython-3.13.0-linux-x86_64-gnu', join(folder, 'cpython-3.13-linux-x86_64-gnu'));
  await deployed();
  await expect.poll(() => readdir(folder), wait).toEqual([]);
});
