import { expect, test } from 'vitest';
import { Problem } from '@roadstead/kit';
import type { FakeControlPlane } from '../../packages/data-plane/src/testing/fake-control-plane.ts';
import type { FakeRevision } from '../../packages/data-plane/src/testing/fake-deployment.ts';
import { sourceArchive } from '../../packages/data-plane/src/testing/projects.ts';

/** A listener that follows a control plane which the suite plays. */
export interface OpenedListener extends AsyncDisposable {
  readonly control: FakeControlPlane;
  /** Ends this life of the listener, and begins another. */
  readonly restart: () => Promise<void>;
}

const wait = { interval: 20 };

/** What every listener does. Each test opens one of its own. */
export function listenerSuite(open: () => Promise<OpenedListener>): void {
  test('when it starts, then it takes the lease over, says what it can run, and polls by its fence', async () => {
    await using listener = await open();
    const { control } = listener;
    await expect.poll(() => control.restarts, wait).toBe(1);
    expect(control.capabilities).toContain('archive');
    await reached(control, 'one');
    expect(control.restarts).toBe(1);
  });

  test('when it reports, then phases come in order, and the artifact is sent before it is named', async () => {
    await using listener = await open();
    const { control } = listener;
    const { id, revision } = await reached(control, 'one');
    const story = control.storyOf(revision.id);
    const phases = ['source', 'install', 'build', 'start', 'health', 'switch', 'switch done'];
    expect(story.filter((word) => word !== 'build done')).toEqual(
      phases.filter((one) => story.includes(one)),
    );
    expect(story).toEqual(expect.arrayContaining(['source', 'build', 'start', 'health', 'switch done']));
    const end = control.observations.find((seen) => seen.outcome === 'done' && seen.phase === 'switch');
    expect(end).toMatchObject({
      deployment_id: id,
      generation: control.generation,
      artifact: { kind: 'folder', digest: revision.artifact_digest },
      database_ready: true,
      manifest: { graphs: [{ graph_id: 'agent' }] },
    });
    expect(control.puts).toEqual([200]);
  });

  test('when a revision has an artifact, then it is not built', async () => {
    await using listener = await open();
    const { control } = listener;
    const { revision: first } = await reached(control, 'one');
    await reached(control, 'two');
    const back = control.revisionOf(first);
    const id = control.desire('mine', { revision: back });
    await expect.poll(() => control.activeOf(id), wait).toBe(back.id);
    expect(control.storyOf(back.id)).not.toEqual(expect.arrayContaining(['build']));
    expect(control.puts).toEqual([200, 200]);
  });

  test('when a build fails, then phase and reason are reported once, and what serves stays', async () => {
    await using listener = await open();
    const { control } = listener;
    const { id, revision } = await reached(control, 'one');
    const bad = control.revisionOf(await sourceArchive('works', 'bad'), { build_command: 'exit 3' });
    control.desire('mine', { revision: bad });
    await expect.poll(() => control.storyOf(bad.id).at(-1), wait).toBe('build failed');
    const failures = control.observations.filter((seen) => seen.outcome === 'failed');
    expect(failures).toMatchObject([{ phase: 'build', reason: { phase: 'build', code: 'build_failed' } }]);
    const next = await reached(control, 'three');
    expect(control.observations.filter((seen) => seen.outcome === 'failed')).toHaveLength(1);
    expect(next.id).toBe(id);
    expect(revision.id).not.toBe(bad.id);
  });

  test('when a reported end was not accepted, then it is reported again', async () => {
    await using listener = await open();
    const { control } = listener;
    let refused = 0;
    control.onObservation = (seen) => {
      if (seen.outcome !== 'done' || seen.phase !== 'switch' || refused === 3) return;
      refused += 1;
      throw new Problem('unavailable', 'The control plane is busy.');
    };
    await reached(control, 'one');
    expect(refused).toBe(3);
  });

  test('when its fence is stale, then it begins again and continues', async () => {
    await using listener = await open();
    const { control } = listener;
    await reached(control, 'one');
    control.takeLease();
    await expect.poll(() => control.restarts, wait).toBe(2);
    await reached(control, 'two');
  });

  test('when a control plane was away for a while, then it is followed again', async () => {
    await using listener = await open();
    const { control } = listener;
    await reached(control, 'one');
    await control.goAway();
    const revision = control.revisionOf(await sourceArchive('works', 'two'));
    const id = control.desire('mine', { revision });
    await control.comeBack();
    await expect.poll(() => control.activeOf(id), wait).toBe(revision.id);
  });

  test('when it restarts, then it restores the serving revision and reports it', async () => {
    await using listener = await open();
    const { control } = listener;
    const { id, revision } = await reached(control, 'one');
    const before = control.observations.length;
    await listener.restart();
    const told = () =>
      control.observations
        .slice(before)
        .some(
          (seen) => seen.deployment_id === id && seen.revision_id === revision.id && seen.outcome === 'done',
        );
    await expect.poll(told, wait).toBe(true);
    expect(control.puts).toEqual([200]);
  });

  test('when something is to be removed, then it is reported as gone', async () => {
    await using listener = await open();
    const { control } = listener;
    const { id } = await reached(control, 'one');
    control.desire('mine', { removed: true, purge: true });
    const gone = () =>
      control.observations.some(
        (seen) =>
          seen.deployment_id === id &&
          seen.generation === control.generation &&
          seen.revision_id === null &&
          seen.outcome === 'done',
      );
    await expect.poll(gone, wait).toBe(true);
  });
}

/** Wants a new revision of one deployment, and waits until it is active. */
async function reached(
  control: FakeControlPlane,
  note: string,
): Promise<{ readonly id: string; readonly revision: FakeRevision }> {
  const revision = control.revisionOf(await sourceArchive('works', note));
  const id = control.desire('mine', { revision });
  await expect.poll(() => control.activeOf(id), wait).toBe(revision.id);
  return { id, revision };
}
