import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { useFixturePerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { Problem } from '@roadstead/kit';
import type { FakeRevision } from '../testing/fake-control-plane.ts';
import { startFixture } from '../testing/data-plane-fixture.ts';
import { type ProjectKind, sourceArchive } from '../testing/projects.ts';

/** The listener's half of the protocol, over real HTTP: real builds, a runtime in memory. */

const fixture = useFixturePerTest(startFixture);

const wait = { interval: 20 };

async function revisionOf(kind: ProjectKind, note = '', then?: string): Promise<FakeRevision> {
  const build_command = fixture().counted(then);
  return fixture().control.revisionOf(await sourceArchive(kind, note), { build_command });
}

/** Asks for a new revision of `mine`, and waits until it is active. */
async function deployed(note = ''): Promise<{ id: string; revision: FakeRevision }> {
  const revision = await revisionOf('works', note);
  const id = fixture().control.desire('mine', { revision });
  await expect.poll(() => fixture().control.activeOf(id), wait).toBe(revision.id);
  return { id, revision };
}

const served = async () => (await fixture().call('/agents/mine/info')).body;
const upOf = (id: string) => fixture().runtime.opened.get(id)?.up;
const endOf = (revision: FakeRevision) => () => fixture().control.storyOf(revision.id).at(-1);

async function untilHeard(): Promise<void> {
  await expect.poll(() => fixture().control.heard, wait).toBe(fixture().control.generation);
}

/** Waits until a pass has failed. */
async function untilVain(): Promise<void> {
  const before = fixture().logged.length;
  await expect
    .poll(
      () =>
        fixture()
          .logged.slice(before)
          .some((line) => line.includes('pass failed')),
      wait,
    )
    .toBe(true);
}

test('when a revision is desired, then it is built, started and switched to, phase by phase', async () => {
  const { id, revision } = await deployed();
  expect(fixture().control.storyOf(revision.id)).toEqual([
    'source',
    'install',
    'build',
    'start',
    'health',
    'switch',
    'switch done',
  ]);
  expect(await served()).toEqual({ revision_id: revision.id });
  const done = fixture().control.observations.find((seen) => seen.outcome === 'done');
  expect(done).toMatchObject({
    deployment_id: id,
    artifact: { kind: 'folder', digest: revision.artifact_digest },
    url: 'http://roadstead.test/agents/mine',
    database_ready: true,
    hosts: 1,
    manifest: { graphs: [{ graph_id: 'agent' }] },
  });
  await expect.poll(() => fixture().control.linesOf(revision.id), wait).toContain('packing the artifact');
});

test('when a revision was built, then neither a new life nor going back builds it again', async () => {
  const { id, revision: first } = await deployed('one');
  const { revision: second } = await deployed('two');
  await fixture().restart();
  expect(await served()).toEqual({ revision_id: second.id });
  const back = fixture().control.revisionOf(first);
  fixture().control.desire('mine', { revision: back });
  await expect.poll(() => fixture().control.activeOf(id), wait).toBe(back.id);
  expect(await served()).toEqual({ revision_id: back.id });
  expect(fixture().control.storyOf(back.id)).toEqual(['start', 'health', 'switch', 'switch done']);
  expect(await fixture().countBuilds()).toBe(2);
});

test('when the manifest of a build can’t be kept, then that is logged, and the build serves', async () => {
  const { id, revision: first } = await deployed();
  const ready = join(fixture().folder, 'data/artifacts/ready');
  await fixture().restart(async () => {
    const [manifest = ''] = (await readdir(ready)).filter((name) => name.endsWith('.json'));
    await rm(join(ready, manifest));
    // A folder can't be replaced by a file.
    await mkdir(join(ready, manifest));
  });
  expect(await served()).toEqual({ revision_id: first.id });
  const again = fixture().control.revisionOf(first);
  fixture().control.desire('mine', { revision: again });
  await expect.poll(() => fixture().control.activeOf(id), wait).toBe(again.id);
  const lines = fixture().logged.filter((line) => line.includes('the manifest of a build was not kept'));
  expect(lines).toHaveLength(2);
});

test.each([
  ['broken', undefined, 'start failed', /never loads/],
  ['works', 'exit 3', 'build failed', /exit code 3/],
] as const)(
  'when a project (%s) is built with %s, then it ends in %s, and what served goes on',
  async (kind, then, end, message) => {
    const { revision } = await deployed();
    const bad = await revisionOf(kind, 'bad', then);
    const id = fixture().control.desire('mine', { revision: bad });
    await expect.poll(endOf(bad), wait).toBe(end);
    const failed = fixture().control.observations.find((seen) => seen.outcome === 'failed');
    expect(failed?.reason?.message).toMatch(message);
    await expect
      .poll(() => fixture().control.linesOf(bad.id), wait)
      .toContainEqual(expect.stringMatching(message));
    expect(await served()).toEqual({ revision_id: revision.id });
    expect(upOf(id)).toEqual([revision.id]);
  },
);

test('when the first build of a deployment fails, then it has its database all the same', async () => {
  const revision = await revisionOf('works', '', 'exit 3');
  const id = fixture().control.desire('mine', { revision });
  await expect.poll(endOf(revision), wait).toBe('build failed');
  const told = fixture().control.observations.filter((seen) => seen.deployment_id === id);
  expect(told.map((seen) => seen.database_ready)).toEqual(told.map(() => true));
});

test('when a project may not bring a variable, then the build log names it', async () => {
  const revision = await revisionOf(
    'works',
    '',
    `sed -i 's/^{/{"env":{"POSTGRES_URI":"x"},/' langgraph.json`,
  );
  const id = fixture().control.desire('mine', { revision });
  await expect.poll(() => fixture().control.activeOf(id), wait).toBe(revision.id);
  await expect
    .poll(() => fixture().control.linesOf(revision.id), wait)
    .toContainEqual(expect.stringMatching(/left out of env in langgraph.json.*: POSTGRES_URI$/));
});

test('when a text holds a secret of the deployment, then no reason and no log shows it', async () => {
  fixture().control.environment = { TOKEN: 'never loads' };
  const revision = await revisionOf('broken');
  fixture().control.desire('mine', { revision });
  await expect.poll(endOf(revision), wait).toBe('start failed');
  const reason = fixture().control.observations.find((seen) => seen.outcome === 'failed')?.reason;
  expect(reason?.message).toBe('this agent ********');
  await expect.poll(() => fixture().control.linesOf(revision.id), wait).toContain('this agent ********');
});

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

test('when many revisions leave things behind, then they are pruned as revisions come', async () => {
  for (let at = 0; at < 14; at += 1) await deployed(`number ${at}`);
  const ready = join(fixture().config.data_folder, 'artifacts', 'ready');
  const folders = async () => (await readdir(ready)).filter((name) => !name.includes('.')).length;
  // What serves, what served before it, and ten to go back to.
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

test('when one workspace fills the builds, then another one’s deployment is built meanwhile', async () => {
  const over = join(fixture().folder, 'over');
  const slow = await Promise.all(
    Array.from({ length: 6 }, (_, at) =>
      revisionOf('works', `slow ${at}`, `until [ -e ${over} ]; do sleep 0.05; done`),
    ),
  );
  for (const [at, revision] of slow.entries()) fixture().control.desire(`slow-${at}`, { revision });
  await expect.poll(() => fixture().countBuilds(), wait).toBe(2);
  const revision = await revisionOf('works', 'of another workspace');
  const workspace_id = '22222222-2222-4222-8222-222222222222';
  const id = fixture().control.desire('theirs', { revision, workspace_id });
  await expect.poll(() => fixture().control.activeOf(id), wait).toBe(revision.id);
  // No further build of the waiting workspace has begun, and none is lost.
  expect(await fixture().countBuilds()).toBe(3);
  await writeFile(over, '');
  for (const one of slow) await expect.poll(endOf(one), wait).toBe('switch done');
});
