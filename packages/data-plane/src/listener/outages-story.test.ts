import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useListener, wait } from '../testing/use-listener.ts';

/** Accidents and outages are no failures of a revision. */

const { fixture, revisionOf, deployed, served, endOf, untilVain } = useListener();

test('when an accident happens, then it is no failure, and it is tried again without a build', async () => {
  const revision = await revisionOf('works');
  fixture().runtime.activation_error = new Error('The database went away.');
  const vain = untilVain();
  const id = fixture().control.desire('mine', { revision });
  await vain;
  fixture().runtime.activation_error = undefined;
  await expect.poll(() => fixture().control.activeOf(id), wait).toBe(revision.id);
  expect(await fixture().countBuilds()).toBe(1);
});

test('when an accident does not pass, then it fails in the end, and the next revision goes on', async () => {
  const revision = await revisionOf('works');
  fixture().control.sealed.add(revision.id);
  const id = fixture().control.desire('mine', { revision });
  await expect.poll(endOf(revision), wait).toBe('start failed');
  const reason = fixture().control.observations.find((seen) => seen.outcome === 'failed')?.reason;
  expect(reason).toMatchObject({
    code: 'data_plane_error',
    message: expect.stringContaining('500') as string,
  });
  expect(await fixture().countBuilds()).toBe(1);
  const { revision: next } = await deployed('next');
  expect(fixture().control.activeOf(id)).toBe(next.id);
});

test('when what served meets one accident after the other, then it blocks no newer revision', async () => {
  const { id, revision } = await deployed('one');
  await fixture().restart(async () => void fixture().control.sealed.add(revision.id));
  const { revision: next } = await deployed('two');
  expect(fixture().control.activeOf(id)).toBe(next.id);
});

test('when something fails during an outage, then it is reported afterwards, and not tried again', async () => {
  const go = join(fixture().folder, 'go');
  const revision = await revisionOf('works', '', `while [ ! -e ${go} ]; do sleep 0.05; done; exit 3`);
  fixture().control.desire('mine', { revision });
  await expect.poll(() => fixture().countBuilds(), wait).toBe(1);
  await fixture().control.goAway();
  const vain = untilVain();
  await writeFile(go, '');
  await vain;
  await fixture().control.comeBack();
  await expect.poll(endOf(revision), wait).toBe('build failed');
  expect(await fixture().countBuilds()).toBe(1);
  await expect
    .poll(
      () =>
        fixture()
          .control.linesOf(revision.id)
          .filter((line) => line.includes('exit code 3')),
      wait,
    )
    .toHaveLength(1);
});

test('when the control plane is away, then agents go on, and one that is ready takes over', async () => {
  const { id } = await deployed('one');
  const next = await revisionOf('works', 'two');
  fixture().runtime.onPrepared = () => fixture().control.goAway();
  fixture().control.desire('mine', { revision: next });
  await expect.poll(served, wait).toEqual({ revision_id: next.id });
  await fixture().control.comeBack();
  await expect.poll(() => fixture().control.activeOf(id), wait).toBe(next.id);
  expect(await fixture().countBuilds()).toBe(2);
});

test('when an artifact can’t be sent, then it is sent later, by any life, without a build', async () => {
  const revision = await revisionOf('works');
  fixture().control.put_faults.push(503, 503, 503, 503);
  const id = fixture().control.desire('mine', { revision });
  await expect.poll(() => fixture().control.puts.length, wait).toBe(2);
  await fixture().restart();
  await expect.poll(() => fixture().control.activeOf(id), wait).toBe(revision.id);
  expect(fixture().control.puts.filter((status) => status === 200)).toHaveLength(1);
  expect(await fixture().countBuilds()).toBe(1);
});
