import { useFixturePerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { Problem } from '@roadstead/kit';
import { startFixture } from '../testing/data-plane-fixture.ts';
import type { FakeRevision } from '../testing/fake-deployment.ts';
import { startHttpsHost } from '../testing/git-https-host.ts';
import { TestRepository } from '../testing/git-repository.ts';
import { projectFiles } from '../testing/projects.ts';

/** Revisions whose source is a repository: a real host, real git, real builds, a runtime in memory. */

const repository = useFixturePerTest(() => TestRepository.open());
const host = useFixturePerTest(() => startHttpsHost(repository().root));
const fixture = useFixturePerTest(() => startFixture({ environment: { GIT_SSL_CAINFO: host().ca_file } }));
const commit_sha = useFixturePerTest(() =>
  repository().commit({ ...projectFiles('works'), 'note.txt': 'one' }),
);

const wait = { interval: 20 };
const at = (ref: string) => ({ repo_url: host().url, ref, has_credentials: false });
const endOf = (revision: FakeRevision) => () => fixture().control.storyOf(revision.id).at(-1);
const reasonOf = (revision: FakeRevision) =>
  fixture().control.observations.find((seen) => seen.revision_id === revision.id && seen.reason !== null)
    ?.reason;
const reported = () => fixture().control.observations.flatMap((seen) => seen.commit_sha ?? []);

async function reached(revision: FakeRevision): Promise<void> {
  const id = fixture().control.desire('mine', { revision });
  await expect.poll(() => fixture().control.activeOf(id), wait).toBe(revision.id);
}

test('when a branch is deployed, then its commit is reported before it is fetched and built', async () => {
  expect(fixture().control.capabilities).toEqual(['archive', 'git']);
  const revision = fixture().control.revisionOf(at('main'));
  await reached(revision);
  expect(reported()).toEqual([commit_sha()]);
  expect(revision.commit_sha).toBe(commit_sha());
  expect(fixture().control.storyOf(revision.id).join()).toBe(
    'source,install,build,start,health,switch,switch done',
  );
  await expect
    .poll(() => fixture().control.linesOf(revision.id), wait)
    .toContain(`fetching main of ${host().url} at ${commit_sha().slice(0, 7)}`);
});

test('when a project’s configuration lies below the root of a monorepo, then it is deployed', async () => {
  const files = Object.entries(projectFiles('works')).map(([path, text]) => [`apps/agent/${path}`, text]);
  await repository().commit({
    ...(Object.fromEntries(files) as Record<string, string>),
    'packages/shared/index.js': 'export const shared = 1;',
  });
  const build_command = 'test -e langgraph.json && test -e ../../packages/shared/index.js';
  const config_path = 'apps/agent/langgraph.json';
  const revision = fixture().control.revisionOf(at('main'), { build_command, config_path });
  await reached(revision);
  expect((await fixture().call('/agents/mine/info')).body).toEqual({ revision_id: revision.id });
});

test('when a repository is private, then credentials are asked for just before it is fetched', async () => {
  host().credentials = 'x:secret-token-1';
  fixture().control.source_credentials = { kind: 'token', username: 'x', token: 'secret-token-1' };
  const revision = fixture().control.revisionOf({ ...at('main'), has_credentials: true });
  await reached(revision);
  expect(fixture().control.credentials_read).toBe(1);
  expect(JSON.stringify([fixture().control.logs, fixture().control.observations])).not.toContain(
    'secret-token-1',
  );
  expect(fixture().logged.join('\n')).not.toContain('secret-token-1');
});

test.each(['source', 'install', 'start', 'health', 'switch'])(
  'when the listener ends in the phase %s, then it goes on with the commit that it began with',
  async (phase) => {
    const revision = fixture().control.revisionOf(at('main'));
    const told = Promise.withResolvers<void>();
    fixture().control.onObservation = (seen) => {
      const isKnown = phase !== 'source' || typeof seen.commit_sha === 'string';
      if (seen.phase === phase && isKnown) told.resolve();
    };
    const id = fixture().control.desire('mine', { revision });
    await told.promise;
    await fixture().restart(async () => void (await repository().commit({ 'note.txt': 'two' })));
    await expect.poll(() => fixture().control.activeOf(id), wait).toBe(revision.id);
    expect(revision.commit_sha).toBe(commit_sha());
    expect(new Set(reported())).toEqual(new Set([commit_sha()]));
  },
);

test('when a commit is not known to be kept, then it is not built, and the next try is of it too', async () => {
  const revision = fixture().control.revisionOf(at('main'));
  let lost = 0;
  fixture().control.onObservation = async (seen) => {
    if (typeof seen.commit_sha !== 'string' || lost === 2) return;
    lost += 1;
    await repository().commit({ 'note.txt': `later ${lost}` });
    throw new Problem('unavailable', 'The control plane is busy.');
  };
  await reached(revision);
  expect(lost).toBe(2);
  expect(reported()).toEqual([commit_sha()]);
});

test('when a repository has a fault, then that is the reason, and what served goes on', async () => {
  const good = fixture().control.revisionOf(at('main'));
  await reached(good);
  const bad = fixture().control.revisionOf(at('nothing'));
  fixture().control.desire('mine', { revision: bad });
  await expect.poll(endOf(bad), wait).toBe('source failed');
  expect(reasonOf(bad)).toMatchObject({
    phase: 'source',
    code: 'git_ref_unknown',
    message: `There is no branch nothing in ${host().url}.`,
  });
  const elsewhere = fixture().control.revisionOf(at('main'), { config_path: 'apps/none/langgraph.json' });
  fixture().control.desire('mine', { revision: elsewhere });
  await expect.poll(endOf(elsewhere), wait).toBe('source failed');
  expect(reasonOf(elsewhere)?.message).toContain('apps/none/langgraph.json');
  expect((await fixture().call('/agents/mine/info')).body).toEqual({ revision_id: good.id });
});

test('when a host is away for a moment, then it is asked again', async () => {
  let refused = 0;
  host().before = (_request, response) => {
    if (refused === 3) return false;
    refused += 1;
    response.writeHead(503).end();
    return true;
  };
  const revision = fixture().control.revisionOf(at('main'));
  await reached(revision);
  expect(refused).toBe(3);
  expect(fixture().control.observations.filter((seen) => seen.outcome === 'failed')).toEqual([]);
});

test('when a watched branch moves or goes, then that is reported, and by each life again', async () => {
  const watch = { ...at('main'), interval_s: 0.05 };
  const heads = () => fixture().control.heads.map((head) => head.commit_sha);
  fixture().control.desire('mine', { watch });
  await expect.poll(heads, wait).toEqual([commit_sha()]);
  const next = await repository().commit({ 'note.txt': 'two' });
  await expect.poll(heads, wait).toEqual([commit_sha(), next]);
  await fixture().restart();
  await expect.poll(heads, wait).toEqual([commit_sha(), next, next]);
  await repository().configure('receive.denyDeleteCurrent', 'ignore');
  await repository().git('push', '--quiet', 'origin', ':main');
  await expect.poll(heads, wait).toEqual([commit_sha(), next, next, null]);
  expect(fixture().control.heads.at(-1)).toEqual({ ref: 'main', commit_sha: null, problem: null });
});
