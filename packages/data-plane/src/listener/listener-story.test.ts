import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useListener, wait } from '../testing/use-listener.ts';

/** The listener’s half of the protocol, over real HTTP: real builds, a runtime in memory. */

const { fixture, revisionOf, deployed, served, upOf, endOf } = useListener();

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
