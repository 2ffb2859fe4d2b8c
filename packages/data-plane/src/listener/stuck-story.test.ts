import { execFile } from 'node:child_process';
import { type FileHandle, open, readdir, rm } from 'node:fs/promises';
import { constants } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually, useFixturePerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { type Fixture, startFixture } from '../testing/data-plane-fixture.ts';
import { sourceArchive } from '../testing/projects.ts';
import { fetchArchive } from '../sources/archive-source.ts';
import type { FetchSource } from '../ports/source.ts';

/**
 * A source or a runtime may wait for something that never comes: limits and DELETE end it, and everybody else
 * continues.
 */

const stack = useFixturePerTest(() => new AsyncDisposableStack());
let fixture: Fixture;

async function start(...options: Parameters<typeof startFixture>): Promise<void> {
  fixture = stack().use(await startFixture(...options));
}

const wait = { timeout: 120_000, interval: 20 };
const never = () => new Promise<never>(() => undefined);
/** Workspaces whose builds hold all slots together: half of them each, as many as one workspace may. */
const HOLDERS = [
  '22222222-2222-4222-8222-222222222222',
  '22222222-2222-4222-8222-222222222222',
  '33333333-3333-4333-8333-333333333333',
  '33333333-3333-4333-8333-333333333333',
];

/**
 * Asks for deployments whose sources never come, one for each slot, and for one of another workspace, which waits
 * behind them.
 */
async function occupyAllSlots() {
  const stuck = new Set<string>();
  const archives: FetchSource<'archive'> = async (source, into) => {
    if (stuck.has(source.digest)) await never();
    await fetchArchive(source, into);
  };
  await start({ archives });
  const deployments = [];
  for (const [at, workspace_id] of HOLDERS.entries()) {
    const revision = fixture.control.revisionOf(await sourceArchive('works', `stuck ${at}`));
    stuck.add(revision.source_digest);
    deployments.push({ id: fixture.control.desire(`stuck-${at}`, { revision, workspace_id }), revision });
  }
  for (const { revision } of deployments)
    await expect.poll(() => fixture.control.storyOf(revision.id), wait).toContain('source');
  return { deployments, fine: await desireFine() };
}

async function desireFine() {
  const revision = fixture.control.revisionOf(await sourceArchive('works', 'fine'));
  return { id: fixture.control.desire('fine', { revision }), revision };
}

const isRemoved = (id: string) =>
  fixture.control.observations.some((seen) => seen.deployment_id === id && seen.outcome === 'done');

async function untilActive({ id, revision }: Awaited<ReturnType<typeof desireFine>>): Promise<void> {
  await expect.poll(() => fixture.control.activeOf(id), wait).toBe(revision.id);
}

/** Acts as if a configured limit were short. */
async function limitBuilds(build_timeout_s: number): Promise<void> {
  Object.assign(fixture.config, { build_timeout_s });
  await fixture.restart();
}

test('when deployments are deleted whose sources never come, then their slots are free', async () => {
  const { deployments, fine } = await occupyAllSlots();
  expect(fixture.control.storyOf(fine.revision.id)).toEqual([]);
  for (const { id } of deployments) fixture.control.desire(slugOf(id), { removed: true });
  await untilActive(fine);
  for (const { id } of deployments) await expect.poll(() => isRemoved(id), wait).toBe(true);
  await expect.poll(() => readdir(join(fixture.config.data_folder, 'artifacts/making')), wait).toEqual([]);

  function slugOf(id: string): string {
    return `stuck-${deployments.findIndex((one) => one.id === id)}`;
  }
});

test('when sources never come, then they free their slots at the limit, in words', async () => {
  const { deployments, fine } = await occupyAllSlots();
  await limitBuilds(5);
  await untilActive(fine);
  for (const { revision } of deployments)
    await expect.poll(() => fixture.control.storyOf(revision.id).at(-1), wait).toBe('source failed');
  const failed = fixture.control.observations.filter((seen) => seen.outcome === 'failed');
  for (const { reason } of failed) expect(reason?.message).toBe('The build took longer than 5 s.');
});

test.each([
  [
    'opening',
    'onOpening',
    /^It was tried \d times, and each time the deployment was not opened within 0\.3 s\.$/,
  ],
  ['starting', 'onPrepared', /^The revision did not start within 0\.3 s\.$/],
  [
    'taking over',
    'onActivating',
    /^It was tried \d times, and each time the revision did not take over within 0\.3 s\.$/,
  ],
] as const)('when %s never ends, then it is over at the limit, in words', async (_what, hook, message) => {
  await start({ step_ms: 300 });
  fixture.runtime[hook] = never;
  const { revision } = await desireFine();
  await expect.poll(() => fixture.control.storyOf(revision.id).at(-1), wait).toMatch(/ failed$/);
  expect(fixture.control.observations.at(-1)?.reason?.message).toMatch(message);
});

test.each(['onOpening', 'onPrepared', 'onActivating'] as const)(
  'when a deployment’s runtime hangs in %s, then the deployment can be deleted',
  async (hook) => {
    await start();
    const reached = Promise.withResolvers<void>();
    fixture.runtime[hook] = () => {
      reached.resolve();
      return never();
    };
    const { id } = await desireFine();
    await reached.promise;
    fixture.control.desire('fine', { removed: true });
    await expect.poll(() => isRemoved(id), wait).toBe(true);
  },
);

/** The first call hangs until it is released; later ones don't. */
function hangingOnce() {
  const slow = Promise.withResolvers<void>();
  let calls = 0;
  return { resume: slow.resolve, hook: async () => void ((calls += 1) === 1 && (await slow.promise)) };
}

test('when opening takes too long, then it is tried again, and what opens after all is closed', async () => {
  await start({ step_ms: 300 });
  const { hook, resume } = hangingOnce();
  fixture.runtime.onOpening = hook;
  await untilActive(await desireFine());
  resume();
  await expect.poll(() => fixture.runtime.closed, wait).toBe(1);
});

test('when taking over takes too long, then it is tried again', async () => {
  await start({ step_ms: 300 });
  fixture.runtime.onActivating = hangingOnce().hook;
  const { id, revision } = await desireFine();
  await expect.poll(() => fixture.control.activeOf(id), wait).toBe(revision.id);
});

test.each(['onClosing', 'onForgetting'] as const)(
  'when a deployment’s runtime hangs in %s, then the deployment is deleted all the same',
  async (hook) => {
    await start({ step_ms: 300 });
    const { id, revision } = await desireFine();
    await untilActive({ id, revision });
    // Another attempt forgets anything that the first one still holds.
    const { hook: hang, resume } = hangingOnce();
    fixture.runtime[hook] = hang;
    fixture.control.desire('fine', { removed: true, purge: true });
    await expect.poll(() => isRemovedSince(id), wait).toBe(true);
    expect(fixture.runtime.forgotten).toEqual([id]);
    resume();
  },
);

test('when closing hangs, then DELETE is done once its processes are gone, which are killed', async () => {
  await start({ step_ms: 300 });
  const { id, revision } = await desireFine();
  await untilActive({ id, revision });
  const dying = Promise.withResolvers<void>();
  let kills = 0;
  fixture.runtime.onClosing = never;
  fixture.runtime.onKilling = () => {
    kills += 1;
    return dying.promise;
  };
  const { up: before } = fixture.runtime.opened.get(id) ?? {};
  expect(before).toEqual([revision.id]);
  fixture.control.desire('fine', { removed: true, purge: true });
  // Closing is retried as long as they do not end, and nothing else is done meanwhile.
  await expect.poll(() => kills, wait).toBeGreaterThan(1);
  expect(isRemovedSince(id)).toBe(false);
  expect(fixture.runtime.forgotten).toEqual([]);
  dying.resolve();
  await expect.poll(() => isRemovedSince(id), wait).toBe(true);
  expect(fixture.runtime.opened.get(id)?.up).toEqual([]);
});

test('when a disk hangs as what served comes back, then its deployment can be deleted', async () => {
  await start({ step_ms: 300 });
  const fine = await desireFine();
  await untilActive(fine);
  const ready = join(fixture.config.data_folder, 'artifacts/ready');
  let pipe = '';
  await fixture.restart(async () => {
    const name = (await readdir(ready)).find((one) => one.endsWith('.json'));
    pipe = join(ready, name ?? '');
    await rm(pipe);
    await promisify(execFile)('mkfifo', [pipe]);
  });
  await using writer = await openedForReader(pipe);
  fixture.control.desire('fine', { removed: true });
  await expect.poll(() => isRemovedSince(fine.id), wait).toBe(true);
  expect(writer.fd).toBeGreaterThan(0);
});

/** Resolves once somebody reads a pipe; the reader then waits for data until it is closed. */
const openedForReader = (pipe: string): Promise<FileHandle> =>
  eventually(() => open(pipe, constants.O_WRONLY | constants.O_NONBLOCK));

test('when a revision starts after nobody waits for it, then it is stopped', async () => {
  await start({ step_ms: 300 });
  const slow = Promise.withResolvers<void>();
  fixture.runtime.onPrepared = () => slow.promise;
  const { id, revision } = await desireFine();
  await expect.poll(() => fixture.control.storyOf(revision.id).at(-1), wait).toBe('start failed');
  expect(fixture.runtime.opened.get(id)?.up).toEqual([revision.id]);
  slow.resolve();
  await expect.poll(() => fixture.runtime.opened.get(id)?.up, wait).toEqual([]);
});

test('when what served hangs as it comes back, then its deployment can be deleted all the same', async () => {
  await start();
  const fine = await desireFine();
  await untilActive(fine);
  const reached = Promise.withResolvers<void>();
  await fixture.restart(
    async () => undefined,
    (runtime) => {
      runtime.onOpening = () => {
        reached.resolve();
        return never();
      };
    },
  );
  await reached.promise;
  fixture.control.desire('fine', { removed: true });
  await expect.poll(() => isRemovedSince(fine.id), wait).toBe(true);
});

/** Reported in its last generation. */
const isRemovedSince = (id: string) =>
  fixture.control.observations.some(
    (seen) =>
      seen.deployment_id === id && seen.outcome === 'done' && seen.generation === fixture.control.generation,
  );
