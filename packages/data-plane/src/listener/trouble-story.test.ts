import { Problem } from '@roadstead/kit';
import { expect, test } from 'vitest';
import { startFixture } from '../testing/data-plane-fixture.ts';
import { sourceArchive } from '../testing/projects.ts';

const wait = { interval: 20 };

test.each(['crash_loop', 'out_of_memory'] as const)(
  'when what serves has the trouble %s, then that is reported until all is well',
  async (code) => {
    await using fixture = await startFixture();
    const { control } = fixture;
    const revision = control.revisionOf(await sourceArchive('works', ''));
    const id = control.desire('mine', { revision });
    await expect.poll(() => control.activeOf(id), wait).toBe(revision.id);
    const last = () => control.observations.at(-1);
    expect(last()?.trouble).toBeNull();
    const trouble = { code, message: 'Its hosts keep ending.', hint: 'Read its log.' };
    fixture.runtime.opened.get(id)?.onTrouble(trouble);
    const serving = { revision_id: revision.id, phase: 'switch', outcome: 'done' };
    await expect.poll(last, wait).toMatchObject({ ...serving, trouble: { phase: 'switch', ...trouble } });
    fixture.runtime.opened.get(id)?.onTrouble(undefined);
    await expect.poll(last, wait).toMatchObject({ ...serving, trouble: null });
  },
);

test('when something keeps a host from its start, then the revision says so until that is over', async () => {
  await using fixture = await startFixture();
  const { control, runtime } = fixture;
  const [waits, goes] = [Promise.withResolvers<string>(), Promise.withResolvers<void>()];
  runtime.onPrepared = async (revision_id) => {
    waits.resolve(revision_id);
    await goes.promise;
  };
  const revision = control.revisionOf(await sourceArchive('works', ''));
  const id = control.desire('mine', { revision });
  const revision_id = await waits.promise;
  const start = () => runtime.opened.get(id)?.startOf?.(revision_id);
  const [first, second] = [start(), start()];
  const last = () => control.observations.at(-1);
  const running = { revision_id, phase: 'start', outcome: 'running' };
  const told = (code: string) => ({ code, message: 'No node of the cluster takes the pod.', hint: 'Wait.' });
  first?.(told('unschedulable'));
  await expect
    .poll(last, wait)
    .toMatchObject({ ...running, reason: { phase: 'start', ...told('unschedulable'), log_tail: null } });
  second?.(told('quota_exceeded'));
  await expect.poll(last, wait).toMatchObject({ ...running, reason: { code: 'quota_exceeded' } });
  second?.(undefined);
  await expect.poll(last, wait).toMatchObject({ ...running, reason: { code: 'unschedulable' } });
  first?.(undefined);
  await expect.poll(last, wait).toMatchObject({ ...running, reason: null });
  goes.resolve();
  await expect.poll(() => control.activeOf(id), wait).toBe(revision.id);
});

test('when a revision fails while something keeps it, then no later report undoes that', async () => {
  await using fixture = await startFixture();
  const { control, runtime } = fixture;
  const hindrance = { code: 'unschedulable', message: 'No node takes the pod.', hint: 'Wait.' };
  runtime.onPrepared = (revision_id) => {
    for (const opened of runtime.opened.values()) opened.startOf?.(revision_id)(hindrance);
    throw new Problem('invalid', 'No node took the pod in time.', { code: 'unschedulable' });
  };
  const revision = control.revisionOf(await sourceArchive('works', ''));
  control.desire('mine', { revision });
  const failed = { phase: 'start', outcome: 'failed', reason: { phase: 'start', code: 'unschedulable' } };
  await expect.poll(() => control.observations.at(-1), wait).toMatchObject(failed);
  const outcomes = control.observations.map(({ outcome, reason }) => `${outcome} ${reason?.code ?? ''}`);
  expect(outcomes.slice(-2)).toEqual(['running unschedulable', 'failed unschedulable']);
});
