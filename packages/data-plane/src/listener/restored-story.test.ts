import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { FakeRevision } from '../testing/fake-deployment.ts';
import { sourceArchive } from '../testing/projects.ts';
import { useListener, wait } from '../testing/use-listener.ts';

/** A data plane that starts again restores what served. */

const { fixture, revisionOf, deployed, served, endOf } = useListener();

/** The configurations that are kept beside artifacts. */
async function keptConfigs(): Promise<string[]> {
  const ready = join(fixture().config.data_folder, 'artifacts/ready');
  const names = await readdir(ready);
  return names.filter((name) => name.endsWith('.config')).map((name) => join(ready, name));
}

/** Removes the graph configuration from what was built. */
async function removeConfigFile({ artifact_digest }: FakeRevision): Promise<void> {
  const hex = artifact_digest?.replace('sha256:', '') ?? '';
  await rm(join(fixture().config.data_folder, 'artifacts/ready', hex, 'langgraph.json'));
}

test('when what served is restored, then its langgraph.json is not read again', async () => {
  const { revision } = await deployed();
  expect(await keptConfigs()).toHaveLength(1);
  await fixture().restart(() => removeConfigFile(revision));
  expect(await served()).toEqual({ revision_id: revision.id });
});

test('when an artifact was kept without its configuration, then it serves all the same', async () => {
  const { revision } = await deployed();
  await fixture().restart(async () => {
    for (const path of await keptConfigs()) await rm(path);
  });
  expect(await served()).toEqual({ revision_id: revision.id });
  expect(await keptConfigs()).toHaveLength(1);
  await fixture().restart(() => removeConfigFile(revision));
  expect(await served()).toEqual({ revision_id: revision.id });
});

test('when what served is lost, then that is said in words, and a newer revision is tried', async () => {
  const { id, revision } = await deployed('one');
  await fixture().restart(async () => {
    fixture().control.blobs.delete(revision.artifact_digest ?? '');
    await rm(join(fixture().config.data_folder, 'artifacts'), { recursive: true });
  });
  await expect.poll(endOf(revision), wait).toBe('start failed');
  expect(fixture().control.observations.at(-1)?.reason).toMatchObject({
    code: 'not_restored',
    message: expect.stringContaining('The control plane no longer has'),
  });
  expect(fixture().logged.join('\n')).toContain('the revision that served could not be restored');
  expect((await fixture().call('/agents/mine/info')).status).toBe(503);
  const next = await revisionOf('works', 'two');
  fixture().control.desire('mine', { revision: next });
  await expect.poll(() => fixture().control.activeOf(id), wait).toBe(next.id);
  expect(await served()).toEqual({ revision_id: next.id });
});

test('when the artifact of what served is corrupt, then a newer revision is tried all the same', async () => {
  const { id, revision } = await deployed('one');
  const digest = revision.artifact_digest ?? '';
  const whole = fixture().control.blobs.get(digest) ?? Buffer.alloc(0);
  const bad = await revisionOf('broken', 'two');
  await fixture().restart(async () => {
    fixture().control.blobs.set(digest, Buffer.from('damaged'));
    await rm(join(fixture().config.data_folder, 'artifacts'), { recursive: true });
    fixture().control.desire('mine', { revision: bad });
  });
  await expect.poll(endOf(bad), wait).toBe('start failed');
  fixture().control.blobs.set(digest, whole);
  await expect.poll(served, wait).toEqual({ revision_id: revision.id });
  expect(fixture().control.activeOf(id)).toBe(revision.id);
});

/**
 * Sets the control plane back, once, to before it knew the artifact of a revision, when a report about that revision
 * comes.
 */
function forgetAt(revision: FakeRevision, is: (seen: { phase: string; outcome: string }) => boolean) {
  let isDone = false;
  fixture().control.onObservation = (seen) => {
    if (isDone || seen.revision_id !== revision.id || seen.artifact?.kind !== 'folder' || !is(seen)) return;
    isDone = true;
    fixture().control.blobs.delete(seen.artifact.digest);
    revision.artifact_digest = null;
  };
}

test('when an artifact that was sent is lost, then it is built and sent again', async () => {
  const revision = await revisionOf('works');
  forgetAt(revision, ({ phase }) => phase === 'build');
  const id = fixture().control.desire('mine', { revision });
  await expect.poll(() => fixture().control.activeOf(id), wait).toBe(revision.id);
  expect(await fixture().countBuilds()).toBe(2);
});

test('when what serves is refused, then it fails in words, and what served before comes back', async () => {
  const { id, revision } = await deployed('one');
  const next = await revisionOf('works', 'two');
  forgetAt(next, ({ outcome }) => outcome === 'done');
  fixture().control.desire('mine', { revision: next });
  await expect.poll(endOf(next), wait).toBe('switch failed');
  const reason = fixture().control.observations.find((seen) => seen.outcome === 'failed')?.reason;
  expect(reason).toMatchObject({ code: 'refused', hint: expect.stringContaining('Deploy again') as string });
  await expect.poll(served, wait).toEqual({ revision_id: revision.id });
  expect(fixture().control.activeOf(id)).toBe(revision.id);
  const again = fixture().control.revisionOf(await sourceArchive('works', 'two'), {
    build_command: fixture().counted(),
  });
  fixture().control.desire('mine', { revision: again });
  await expect.poll(() => fixture().control.activeOf(id), wait).toBe(again.id);
});

test('when a cache is taken away while it is used, then it is made again', async () => {
  const { id } = await deployed('one');
  await rm(join(fixture().config.data_folder, 'artifacts'), { recursive: true });
  const { revision } = await deployed('two');
  expect(fixture().control.activeOf(id)).toBe(revision.id);
});
