import { useFixturePerTest } from '@roadstead/testing';
import { beforeEach, expect, test } from 'vitest';
import { OTHER_WORKSPACE, revisionsOf, startFixture } from '../testing/fixture.ts';
import { gitRequest, sha } from '../testing/git.ts';

const fixture = useFixturePerTest(startFixture);
beforeEach(() => fixture().listener().poll(0, ['archive', 'git']));

test('when a branch is resolved, then it is done once, and the revision shows its commit', async () => {
  const client = fixture().client();
  const listener = fixture().listener();
  const created = await client.createDeployment({ body: gitRequest('story', { build_on_push: true }) });
  expect(created.source_revision_config).toMatchObject({ repo_ref: 'main', repo_commit_sha: null });
  const news = await listener.next(created.id);
  expect(news.revision?.source).toMatchObject({
    kind: 'git',
    repo_url: 'https://git.example.com/acme/agent.git',
    ref: 'main',
    commit_sha: null,
    has_credentials: false,
  });
  expect(news.watch).toEqual({
    repo_url: 'https://git.example.com/acme/agent.git',
    ref: 'main',
    interval_s: 60,
    has_credentials: false,
  });
  await listener.observe(news, { phase: 'source', outcome: 'running', commit_sha: sha(1) });
  await listener.observe(news, { phase: 'install', outcome: 'running', commit_sha: sha(2) });
  listener.refs.set('main', sha(3));
  const [revision] = await revisionsOf(fixture(), created.id);
  expect(revision).toMatchObject({
    status: 'BUILDING',
    repo_commit_sha: sha(1),
    source_revision_config: { repo_commit_sha: sha(1), repo_ref: 'main' },
  });
  const params = { deployment_id: created.id };
  expect((await client.readDeployment({ params })).source_revision_config).toMatchObject({
    repo_commit_sha: sha(1),
  });
  // A restarted listener fetches that very commit.
  const young = fixture().listener();
  const again = (await young.poll()).find((one) => one.deployment_id === created.id);
  expect(again?.revision?.source).toMatchObject({ commit_sha: sha(1) });
  await young.reach(again ?? news);
  expect(await revisionsOf(fixture(), created.id)).toMatchObject([
    { status: 'DEPLOYED', repo_commit_sha: sha(1) },
  ]);
});

test('when a source has two names, then both are taken, and that of its creator is shown', async () => {
  const client = fixture().client();
  const ours = await client.createDeployment({ body: gitRequest('ours') });
  const theirs = await client.createDeployment({ body: { ...gitRequest('theirs'), source: 'github' } });
  expect([ours.source, theirs.source]).toEqual(['git', 'github']);
  const params = { deployment_id: theirs.id };
  for (const source of ['git', 'github'] as const)
    expect(await client.patchDeployment({ params, body: { source, revision_source: source } })).toMatchObject(
      {
        source: 'github',
      },
    );
  const { resources } = await client.listDeployments({ query: {} });
  expect(resources.map((one) => one.source)).toEqual(['github', 'git']);
  await expect(client.patchDeployment({ params, body: { source: 'external_docker' } })).rejects.toMatchObject(
    { status: 400 },
  );
});

test('when a source has no ref, then it is the default branch', async () => {
  const request = gitRequest('default');
  const created = await fixture()
    .client()
    .createDeployment({
      body: { ...request, source_revision_config: { langgraph_config_path: 'langgraph.json' } },
    });
  expect(created.source_revision_config).toMatchObject({ repo_ref: 'HEAD' });
});

test('when a ref is sent, then it is resolved again; else, as in a rollback, the commit stays', async () => {
  const client = fixture().client();
  const listener = fixture().listener();
  listener.refs.set('main', sha(1));
  const { id } = await client.createDeployment({ body: gitRequest('kept') });
  const params = { deployment_id: id };
  await listener.reach(await listener.next(id));
  await client.patchDeployment({ params, body: { secrets: [{ name: 'KEY', value: 'one' }] } });
  const second = await listener.next(id, (news) => news.revision?.number === 2);
  expect(second.revision).toMatchObject({ source: null, artifact: { kind: 'folder' } });
  await listener.reach(second);
  listener.refs.set('main', sha(2));
  await client.patchDeployment({ params, body: { source_revision_config: { repo_ref: 'main' } } });
  const third = await listener.next(id, (news) => news.revision?.number === 3);
  expect(third.revision?.source).toMatchObject({ kind: 'git', commit_sha: null });
  await listener.reach(third);
  const [, , first] = await revisionsOf(fixture(), id);
  await client.redeployRevision({ params: { ...params, revision_id: first?.id ?? '' } });
  await listener.reach(await listener.next(id, (news) => news.revision?.number === 4));
  expect(await revisionsOf(fixture(), id)).toMatchObject([
    { status: 'DEPLOYED', repo_commit_sha: sha(1), rollback_of: first?.id },
    { status: 'DEPLOYED', repo_commit_sha: sha(2) },
    { status: 'DEPLOYED', repo_commit_sha: sha(1) },
    { status: 'DEPLOYED', repo_commit_sha: sha(1) },
  ]);
});

test('when credentials are asked for, then only the lease’s holder has them, for what it runs', async () => {
  const client = fixture().client();
  const { id: integration_id } = await client.createIntegration({
    body: {
      kind: 'gitlab',
      name: 'acme',
      host: 'git.example.com',
      credential: { kind: 'token', token: 'canary-token' },
    },
  });
  const { id, latest_revision_id } = await client.createDeployment({
    body: gitRequest('private', { integration_id, build_on_push: true }),
  });
  const listener = fixture().listener();
  const news = await listener.next(id);
  expect(news.revision?.source).toMatchObject({ has_credentials: true });
  expect(news.watch).toMatchObject({ has_credentials: true });
  const credentials = { kind: 'token', username: 'oauth2', token: 'canary-token' };
  expect(await listener.credentials(id, latest_revision_id ?? '')).toEqual(credentials);
  expect(await listener.credentials(id)).toEqual(credentials);
  await expect(listener.credentials(id, crypto.randomUUID())).rejects.toMatchObject({ status: 404 });
  await fixture().listener().poll();
  await expect(listener.credentials(id)).rejects.toMatchObject({ status: 409 });
  expect(fixture().logged.join('\n')).not.toContain('canary-token');
});

test('when an integration is of another workspace or for another host, then it is refused', async () => {
  const made = (host: string, workspace_id?: string) =>
    fixture()
      .client(workspace_id)
      .createIntegration({ body: { kind: 'generic', name: host, host } });
  const foreign = await made('git.example.com', OTHER_WORKSPACE);
  const elsewhere = await made('git.elsewhere.example');
  for (const { id: integration_id } of [foreign, elsewhere])
    await expect(
      fixture()
        .client()
        .createDeployment({ body: gitRequest('refused', { integration_id }) }),
    ).rejects.toMatchObject({ status: 400 });
});

test('when build_on_push is turned on or off, then the listener hears it, without a revision', async () => {
  const client = fixture().client();
  const listener = fixture().listener();
  listener.refs.set('main', sha(1));
  const { id } = await client.createDeployment({ body: gitRequest('turned') });
  const params = { deployment_id: id };
  const news = await listener.next(id);
  expect(news.watch).toBeNull();
  await listener.reach(news);
  await client.patchDeployment({ params, body: { source_config: { build_on_push: true } } });
  const watched = await listener.next(id, ({ watch }) => watch !== null);
  expect(watched).toMatchObject({ watch: { ref: 'main' }, revision: null, active: { number: 1 } });
  await client.patchDeployment({ params, body: { source_config: { build_on_push: false } } });
  expect((await listener.next(id)).watch).toBeNull();
  expect(await revisionsOf(fixture(), id)).toHaveLength(1);
});

test('when a ref is a tag or a commit, then it is not built on push, be it by create or by patch', async () => {
  const client = fixture().client();
  const status = { status: 400 };
  for (const repo_ref of ['refs/tags/v1', sha(1)]) {
    const request = gitRequest('tagged', { build_on_push: true });
    const asked = { ...request.source_revision_config, repo_ref };
    await expect(
      client.createDeployment({ body: { ...request, source_revision_config: asked } }),
    ).rejects.toMatchObject(status);
    const name = `branch-${repo_ref.length}`;
    const pushed = await client.createDeployment({ body: gitRequest(name, { build_on_push: true }) });
    await expect(
      client.patchDeployment({
        params: { deployment_id: pushed.id },
        body: { source_revision_config: { repo_ref } },
      }),
    ).rejects.toMatchObject(status);
    const fixed = await client.createDeployment({
      body: { ...gitRequest(`fixed-${repo_ref.length}`), source_revision_config: asked },
    });
    await expect(
      client.patchDeployment({
        params: { deployment_id: fixed.id },
        body: { source_config: { build_on_push: true } },
      }),
    ).rejects.toMatchObject(status);
  }
});
