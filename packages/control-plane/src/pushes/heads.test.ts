import { useFixturePerTest } from '@roadstead/testing';
import { beforeEach, expect, test } from 'vitest';
import { revisionsOf, startFixture } from '../testing/fixture.ts';
import { gitRequest, sha } from '../testing/git.ts';

const fixture = useFixturePerTest(startFixture);
const client = () => fixture().client();
const listener = useFixturePerTest(() => fixture().listener());
beforeEach(() => listener().poll(0, ['archive', 'git']));

async function deployed() {
  listener().refs.set('main', sha(1));
  const { id } = await client().createDeployment({ body: gitRequest('agent', { build_on_push: true }) });
  const news = await listener().next(id);
  await listener().reach(news);
  return news;
}

const commits = async (id: string) => (await revisionsOf(fixture(), id)).map((one) => one.repo_commit_sha);

test('when a head moves, there or back, then each move makes one revision, from any report', async () => {
  const news = await deployed();
  const id = news.deployment_id;
  await listener().head(news, { commit_sha: sha(1) });
  expect(await commits(id)).toEqual([sha(1)]);
  await Promise.all(Array.from({ length: 10 }, () => listener().head(news, { commit_sha: sha(2) })));
  const [latest, ...others] = await revisionsOf(fixture(), id);
  expect(latest).toMatchObject({
    repo_commit_sha: sha(2),
    trigger: { kind: 'push', actor: `listener:${listener().listener_id}` },
  });
  expect(others).toHaveLength(1);
  await listener().reach(await listener().next(id, ({ revision }) => revision?.number === 2));
  await fixture().restart();
  await listener().head(news, { commit_sha: sha(2) });
  await listener().head(news, { commit_sha: sha(1) });
  expect(await commits(id)).toEqual([sha(1), sha(2), sha(1)]);
  // It was built before: nothing is fetched.
  const back = await listener().next(id, ({ revision }) => revision?.number === 3);
  expect(back.revision).toMatchObject({ source: null, artifact: { kind: 'folder' } });
});

test('when a revision is finding out what its ref is, then a head is to be reported again', async () => {
  const { id } = await client().createDeployment({ body: gitRequest('agent', { build_on_push: true }) });
  const news = await listener().next(id);
  await expect(listener().head(news, { commit_sha: sha(1) })).rejects.toMatchObject({ status: 503 });
  await listener().observe(news, { phase: 'source', outcome: 'running', commit_sha: sha(1) });
  await listener().head(news, { commit_sha: sha(1) });
  expect(await commits(id)).toEqual([sha(1)]);
});

test('when a ref is gone or can’t be looked at, then each change is one event, and no revision', async () => {
  const news = await deployed();
  const id = news.deployment_id;
  const problem = { code: 'authentication_failed', message: 'The remote refuses the credential.' };
  for (const seen of [{}, {}, { problem }, { problem }]) await listener().head(news, seen);
  const params = { deployment_id: id };
  expect((await client().readDeployment({ params })).status_reason).toMatchObject({
    phase: 'source',
    ...problem,
  });
  const { items } = await client().listEvents({ query: { deployment_id: id, page_size: 100 } });
  const told = items.filter((event) => event.kind === 'deployment.head_problem');
  const codes = told.map((event) => event.detail['code']);
  expect(codes).toHaveLength(2);
  expect(codes).toEqual(expect.arrayContaining(['authentication_failed', 'ref_gone']));
  expect(await commits(id)).toEqual([sha(1)]);
  await listener().head(news, { commit_sha: sha(1) });
  expect((await client().readDeployment({ params })).status_reason).toBeNull();
});

test('when a head is unwatched, of another ref or of a stale fence, then it changes nothing', async () => {
  const news = await deployed();
  const id = news.deployment_id;
  await listener().head(news, { ref: 'another', commit_sha: sha(2) });
  const young = fixture().listener();
  await young.poll();
  await expect(listener().head(news, { commit_sha: sha(2) })).rejects.toMatchObject({ status: 409 });
  const params = { deployment_id: id };
  await client().patchDeployment({ params, body: { source_config: { build_on_push: false } } });
  await young.head(news, { commit_sha: sha(2) });
  expect(await commits(id)).toEqual([sha(1)]);
  const unknown = { deployment_id: crypto.randomUUID() };
  await expect(young.head(unknown, { commit_sha: sha(2) })).rejects.toMatchObject({ status: 404 });
});
