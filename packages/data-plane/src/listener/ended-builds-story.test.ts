import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Problem } from '@roadstead/kit';
import { useListener, wait } from '../testing/use-listener.ts';

/** Builds and starts that end early: what runs is ended, and nothing is left behind. */

const { fixture, revisionOf, deployed, served, upOf, endOf, untilHeard } = useListener();

/** A build that never ends, and the process that it waits for. */
async function hanging(then: string) {
  const pid_file = join(fixture().folder, 'pid');
  const revision = await revisionOf('works', 'hangs', `${then} & echo $! > ${pid_file}; wait`);
  const id = fixture().control.desire('mine', { revision });
  const pid = async () => Number(await readFile(pid_file, 'utf8').catch(() => '0'));
  await expect.poll(pid, wait).toBeGreaterThan(0);
  return { id, isAlive: async () => isAlive(await pid()) };
}

/** A killed child that nobody has waited for yet is no longer alive. */
async function isAlive(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') Z');
  return !/\) [ZX]/.test(status);
}

test('when a newer revision is wanted, then a build that hangs ends with all that it started', async () => {
  const { id, isAlive } = await hanging('sleep 300');
  const newer = await revisionOf('works', 'newer');
  fixture().control.desire('mine', { revision: newer });
  await expect.poll(() => fixture().control.activeOf(id), wait).toBe(newer.id);
  await expect.poll(isAlive, wait).toBe(false);
  expect(await beingMade()).toEqual([]);
});

/** Everything beside the artifacts while one is being built. */
const beingMade = () => readdir(join(fixture().config.data_folder, 'artifacts/making'));

test('when a build takes too long, then it ends with all that it started, and leaves nothing', async () => {
  Object.assign(fixture().config, { build_timeout_s: 5 });
  await fixture().restart();
  const { isAlive } = await hanging('sleep 300 & setsid sleep 300');
  await expect.poll(() => fixture().control.observations.at(-1)?.outcome, wait).toBe('failed');
  const { reason } = fixture().control.observations.at(-1) ?? {};
  expect(reason).toMatchObject({ phase: 'build', message: 'The build took longer than 5 s.' });
  expect(reason?.hint).toContain('ROADSTEAD_BUILD_TIMEOUT_S');
  await expect.poll(isAlive, wait).toBe(false);
  expect(await beingMade()).toEqual([]);
});

test('when a deployment is deleted, then its build that hangs ends', async () => {
  const { id, isAlive } = await hanging('sleep 300');
  fixture().control.desire('mine', { removed: true });
  await expect
    .poll(
      () =>
        fixture().control.observations.some((seen) => seen.deployment_id === id && seen.outcome === 'done'),
      wait,
    )
    .toBe(true);
  await expect.poll(isAlive, wait).toBe(false);
});

test('when a newer revision is wanted, then packing what a build left ends', async () => {
  // A file that occupies no block on the disk, and takes longer than anybody could wait.
  const endless = await revisionOf('works', 'endless', 'truncate -s 4T endless.bin');
  const id = fixture().control.desire('mine', { revision: endless });
  await expect.poll(() => fixture().control.linesOf(endless.id), wait).toContain('packing the artifact');
  const newer = await revisionOf('works', 'newer');
  fixture().control.desire('mine', { revision: newer });
  await expect.poll(() => fixture().control.activeOf(id), wait).toBe(newer.id);
});

test.each([
  ['rm -rf "$PWD"', /removed the folder that is to be deployed/],
  ['rm -rf "$PWD" && ln -s / "$PWD"', /removed the folder that is to be deployed/],
  ['rm -rf -- * .[a-z]*', /left nothing that can be deployed/],
])('when a build does %s, then it fails by its own fault, and once', async (then, message) => {
  const revision = await revisionOf('works', '', then);
  fixture().control.desire('mine', { revision });
  await expect.poll(endOf(revision), wait).toBe('build failed');
  const failed = fixture().control.observations.find((seen) => seen.outcome === 'failed');
  expect(failed?.reason?.message).toMatch(message);
  expect(await fixture().countBuilds()).toBe(1);
});

test('when a revision is superseded once it has started, then it stops', async () => {
  const { id } = await deployed();
  const [early, late] = [await revisionOf('works', 'early'), await revisionOf('works', 'late')];
  fixture().runtime.onPrepared = async (revision_id) => {
    if (revision_id !== early.id) return;
    fixture().control.desire('mine', { revision: late });
    await untilHeard();
  };
  fixture().control.desire('mine', { revision: early });
  await expect.poll(() => fixture().control.activeOf(id), wait).toBe(late.id);
  expect(fixture().control.storyOf(early.id)).not.toContain('switch done');
  expect(upOf(id)).toEqual([late.id]);
});

test.each([
  ['a refusal', new Problem('conflict', 'It may not take over.')],
  ['an accident', new Error('The database went away.')],
])('when a revision has started and does not take over by %s, then it stops', async (_how, error) => {
  const { id, revision } = await deployed();
  const next = await revisionOf('works', 'next');
  fixture().runtime.activation_error = error;
  fixture().control.desire('mine', { revision: next });
  await expect.poll(() => fixture().control.storyOf(next.id), wait).toContain('switch');
  await expect.poll(() => upOf(id), wait).toEqual([revision.id]);
  expect(await served()).toEqual({ revision_id: revision.id });
});

test('when a revision is superseded before it is heard of, then it gives way to the active one', async () => {
  const { id, revision } = await deployed('one');
  const [unheard, broken] = [await revisionOf('works', 'two'), await revisionOf('broken', 'three')];
  fixture().control.onObservation = (seen) => {
    const isTold = seen.revision_id === unheard.id && seen.outcome === 'done';
    if (isTold && fixture().control.generation === seen.generation)
      fixture().control.desire('mine', { revision: broken });
  };
  fixture().control.desire('mine', { revision: unheard });
  await expect.poll(endOf(broken), wait).toBe('start failed');
  expect(fixture().control.activeOf(id)).toBe(revision.id);
  expect(await served()).toEqual({ revision_id: revision.id });
});

test('when something is not desired any more, then its build is ended', async () => {
  const slow = await revisionOf('works', 'slow', 'sleep 300');
  const id = fixture().control.desire('mine', { revision: slow });
  await expect.poll(() => fixture().countBuilds(), wait).toBe(1);
  const { revision } = await deployed('quick');
  expect(fixture().control.activeOf(id)).toBe(revision.id);
  expect(fixture().control.storyOf(slow.id)).toEqual(['source', 'install', 'build']);
});

test('when something needs no build, then it waits for none', async () => {
  const { id, revision } = await deployed();
  const slow = await Promise.all(
    Array.from({ length: 10 }, (_, at) => revisionOf('works', `slow ${at}`, 'sleep 300')),
  );
  for (const [at, one] of slow.entries()) fixture().control.desire(`slow-${at}`, { revision: one });
  // The first one, and as many as one workspace may have at once.
  await expect.poll(() => fixture().countBuilds(), wait).toBe(3);
  const back = fixture().control.revisionOf(revision);
  fixture().control.desire('mine', { revision: back });
  await expect.poll(() => fixture().control.activeOf(id), wait).toBe(back.id);
  expect(await fixture().countBuilds()).toBe(3);
});
