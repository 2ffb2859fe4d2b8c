import { useFixturePerTest } from '@roadstead/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { IntegrationKind, type Integration, type PushReceipt } from '@roadstead/contracts/control-plane';
import { NONE, payloads, signatures, standard } from '../testing/deliveries.ts';
import { OTHER_WORKSPACE, revisionsOf, startFixture, until } from '../testing/fixture.ts';
import { gitRequest, sha } from '../testing/git.ts';

const fixture = useFixturePerTest(startFixture);
const client = () => fixture().client();
const listener = useFixturePerTest(() => fixture().listener());
beforeEach(() => listener().poll(0, ['archive', 'git']));

const kinds = IntegrationKind.options;
const push = { before: sha(1), after: sha(2) };

const integrate = (kind: IntegrationKind, workspace_id?: string) =>
  fixture()
    .client(workspace_id)
    .createIntegration({ body: { kind, name: `of ${kind}`, host: 'git.example.com' } });

const deliver = (integration: Integration, body: string, headers: Record<string, string>) =>
  fixture().fetch(new Request(integration.webhook_url, { method: 'POST', body, headers }));

async function send(
  integration: Integration,
  said: Parameters<(typeof payloads)['github']>[0],
): Promise<PushReceipt> {
  const body = JSON.stringify(payloads[integration.kind](said));
  const answer = await deliver(
    integration,
    body,
    signatures[integration.kind](body, integration.webhook_secret ?? ''),
  );
  expect(answer.status).toBe(202);
  return (await answer.json()) as PushReceipt;
}

/** A deployment from `main` at commit 1. */
async function deployed(name = 'agent', repo_url = 'https://git.example.com/acme/agent'): Promise<string> {
  listener().refs.set('main', sha(1));
  const { id } = await client().createDeployment({
    body: gitRequest(name, { build_on_push: true, repo_url }),
  });
  await listener().reach(await listener().next(id));
  return id;
}

const commits = async (id: string) => (await revisionsOf(fixture(), id)).map((one) => one.repo_commit_sha);

describe.each(kinds)('%s', (kind) => {
  test('when a push comes, then it builds its commit once, even if it is sent again', async () => {
    const integration = await integrate(kind);
    const id = await deployed();
    const body = JSON.stringify(payloads[kind](push));
    const headers = signatures[kind](body, integration.webhook_secret ?? '');
    const first = await deliver(integration, body, headers);
    expect(first.status).toBe(202);
    const receipt = (await first.json()) as PushReceipt;
    expect(receipt).toMatchObject({
      repeated: false,
      deployments: [{ id, name: 'agent', outcome: 'started' }],
    });
    const [latest] = await revisionsOf(fixture(), id);
    expect(latest).toMatchObject({
      id: receipt.deployments[0]?.revision_id,
      repo_commit_sha: sha(2),
      repo_ref: 'main',
      trigger: { kind: 'push', actor: `integration:${integration.id}` },
    });
    expect(await (await deliver(integration, body, headers)).json()).toEqual({
      repeated: true,
      deployments: [],
    });
    expect(await send(integration, push)).toMatchObject(
      // Another name makes it another delivery, where the name is reported.
      ['gitlab', 'generic'].includes(kind) ? { deployments: [{ outcome: 'known' }] } : { repeated: true },
    );
    const news = await listener().next(id, ({ revision }) => revision?.number === 2);
    expect(news.revision?.source).toMatchObject({ kind: 'git', ref: 'main', commit_sha: sha(2) });
    // Webhooks come, so it is polled seldom.
    expect(news.watch).toMatchObject({ interval_s: 900 });
    expect(await commits(id)).toEqual([sha(2), sha(1)]);
    expect(await client().readIntegration({ params: { integration_id: integration.id } })).toMatchObject({
      webhook_received_at: expect.any(String),
      webhook_secret: null,
    });
  });

  test('when a branch is deleted, then that is an event and a status, not a revision', async () => {
    const integration = await integrate(kind);
    const id = await deployed();
    for (const before of [sha(1), sha(5)])
      expect(await send(integration, { before, after: NONE })).toMatchObject({
        deployments: [{ outcome: 'gone' }],
      });
    const params = { deployment_id: id };
    expect(await client().readDeployment({ params })).toMatchObject({
      status_reason: { phase: 'source', code: 'ref_gone' },
    });
    const { items } = await client().listEvents({ query: { deployment_id: id, page_size: 100 } });
    expect(items.filter((event) => event.kind === 'deployment.head_problem')).toHaveLength(1);
    expect(await commits(id)).toEqual([sha(1)]);
    await send(integration, push);
    expect((await client().readDeployment({ params })).status_reason).toBeNull();
  });

  test('when a body was changed, has another secret or no signature, then it is 401', async () => {
    const integration = await integrate(kind);
    const id = await deployed();
    const body = JSON.stringify(payloads[kind](push));
    const secret = integration.webhook_secret ?? '';
    const { webhook_secret } = await client().patchIntegration({
      params: { integration_id: integration.id },
      body: { rotate_webhook_secret: true },
    });
    const forged = [
      [body, signatures[kind](body, secret)],
      [body, {}],
      ...(kind === 'gitlab' ? [] : [[`${body} `, signatures[kind](body, webhook_secret ?? '')] as const]),
    ] as const;
    for (const [sent, headers] of forged)
      expect((await deliver(integration, sent, headers)).status).toBe(401);
    expect(await commits(id)).toEqual([sha(1)]);
    expect((await deliver(integration, body, signatures[kind](body, webhook_secret ?? ''))).status).toBe(202);
  });

  test('when a delivery is no push, then it makes nothing; a payload of another shape is 400', async () => {
    const integration = await integrate(kind);
    const id = await deployed();
    await send(integration, { ...push, ref: 'refs/tags/v1' });
    await send(integration, { ...push, ref: 'refs/heads/another' });
    await send(integration, { ...push, at: 'git.example.com/acme/another' });
    expect(await commits(id)).toEqual([sha(1)]);
    const body = JSON.stringify({ object_kind: 'push', ref: 1 });
    expect(
      (await deliver(integration, body, signatures[kind](body, integration.webhook_secret ?? ''))).status,
    ).toBe(400);
  });
});

test('when a host sends a ping, a form, a deletion or a signing token, then it is taken', async () => {
  const [github, gitea, gitlab] = [
    await integrate('github'),
    await integrate('gitea'),
    await integrate('gitlab'),
  ];
  const id = await deployed();
  const secret = github.webhook_secret ?? '';
  const ping = '{"zen":"Keep it simple."}';
  const pinged = { ...signatures.github(ping, secret), 'x-github-event': 'ping' };
  expect((await deliver(github, ping, pinged)).status).toBe(204);
  const form = new URLSearchParams({ payload: JSON.stringify(payloads.github(push)) }).toString();
  const typed = { 'content-type': 'application/x-www-form-urlencoded' };
  expect((await deliver(github, form, { ...signatures.github(form, secret), ...typed })).status).toBe(202);
  expect(await commits(id)).toEqual([sha(2), sha(1)]);
  const { repository } = payloads.gitea(push) as { repository: object };
  const deletion = JSON.stringify({ ref: 'main', ref_type: 'branch', repository });
  const { 'x-gitea-signature': hex = '' } = signatures.gitea(deletion, gitea.webhook_secret ?? '');
  const forgejo = { 'x-forgejo-event': 'delete', 'x-forgejo-signature': hex };
  expect(await (await deliver(gitea, deletion, forgejo)).json()).toMatchObject({
    deployments: [{ outcome: 'gone' }],
  });
  const third = JSON.stringify(payloads.gitlab({ before: sha(2), after: sha(3) }));
  const old = standard(third, gitlab.webhook_secret ?? '', { at_s: Math.floor(Date.now() / 1000) - 400 });
  expect((await deliver(gitlab, third, old)).status).toBe(401);
  expect((await deliver(gitlab, third, standard(third, gitlab.webhook_secret ?? ''))).status).toBe(202);
  expect(await commits(id)).toEqual([sha(3), sha(2), sha(1)]);
});

test.each(['github', 'gitea'] as const)(
  'when a delivery of %s comes again under another name, then it is a copy all the same',
  async (kind) => {
    const integration = await integrate(kind);
    const id = await deployed();
    const body = JSON.stringify(payloads[kind](push));
    const headers = signatures[kind](body, integration.webhook_secret ?? '');
    expect((await deliver(integration, body, headers)).status).toBe(202);
    await send(integration, { before: sha(2), after: sha(1) });
    for (const name of ['webhook-id', 'x-gitlab-event-uuid']) {
      const copy = await deliver(integration, body, { ...headers, [name]: 'another' });
      expect(await copy.json()).toEqual({ repeated: true, deployments: [] });
    }
    expect(await commits(id)).toEqual([sha(1), sha(2), sha(1)]);
  },
);

test('when a delivery comes ten times at once, then it is told of once', async () => {
  const integration = await integrate('github');
  await deployed();
  await Promise.all(Array.from({ length: 10 }, () => send(integration, push)));
  const query = { kind: 'integration.pushed', page_size: 100 };
  expect((await client().listEvents({ query })).items).toHaveLength(1);
});

test('when two integrations deliver one push twenty times at once, then it makes one revision', async () => {
  const both = [await integrate('github'), await integrate('generic')];
  const id = await deployed();
  await Promise.all(Array.from({ length: 20 }, (_, index) => send(both[index % 2] as Integration, push)));
  expect(await commits(id)).toEqual([sha(2), sha(1)]);
});

test('when pushes are rapid, then the newest is built; a move back is followed, a late copy not', async () => {
  const integration = await integrate('github');
  const id = await deployed();
  for (const number of [2, 3, 4]) await send(integration, { before: sha(number - 1), after: sha(number) });
  const news = await listener().next(id, ({ revision }) => revision?.number === 4);
  await listener().reach(news);
  const statuses = (await revisionsOf(fixture(), id)).map((one) => one.status);
  expect(statuses).toEqual(['DEPLOYED', 'SKIPPED', 'SKIPPED', 'DEPLOYED']);
  expect(await send(integration, { before: sha(1), after: sha(2), ref: 'refs/heads/main' })).toMatchObject({
    repeated: true,
  });
  expect(await send(integration, { before: sha(9), after: sha(2) })).toMatchObject({
    deployments: [{ outcome: 'replayed', revision_id: null }],
  });
  expect(await send(integration, { before: sha(4), after: sha(2) })).toMatchObject({
    deployments: [{ outcome: 'started' }],
  });
  expect((await commits(id))[0]).toBe(sha(2));
});

test('when a commit was built by hand or rolled back, then only a new commit is built', async () => {
  const integration = await integrate('gitlab');
  const id = await deployed();
  const params = { deployment_id: id };
  listener().refs.set('main', sha(2));
  await client().patchDeployment({ params, body: { source_revision_config: { repo_ref: 'main' } } });
  // A revision that waits for its turn will find the newest commit itself.
  await listener().reach(await listener().next(id, ({ revision }) => revision?.number === 2));
  expect(await send(integration, push)).toMatchObject({ deployments: [{ outcome: 'known' }] });
  const [, first] = await revisionsOf(fixture(), id);
  await client().redeployRevision({ params: { ...params, revision_id: first?.id ?? '' } });
  expect(await send(integration, push)).toMatchObject({ deployments: [{ outcome: 'known' }] });
  expect(await commits(id)).toEqual([sha(1), sha(2), sha(1)]);
  await send(integration, { before: sha(2), after: sha(3) });
  expect((await commits(id))[0]).toBe(sha(3));
});

test('when a webhook is of another workspace, then it touches nothing, and an unknown one is 404', async () => {
  const foreign = await integrate('generic', OTHER_WORKSPACE);
  const id = await deployed();
  expect(await send(foreign, push)).toEqual({ repeated: false, deployments: [] });
  expect(await commits(id)).toEqual([sha(1)]);
  const nowhere = { ...foreign, webhook_url: foreign.webhook_url.replace(foreign.id, crypto.randomUUID()) };
  const body = JSON.stringify(payloads.generic(push));
  expect((await deliver(nowhere, body, signatures.generic(body, foreign.webhook_secret ?? ''))).status).toBe(
    404,
  );
  const large = 'x'.repeat(5_242_881);
  expect((await deliver(foreign, large, {})).status).toBe(413);
});

test.each([
  ['git@git.example.com:acme/agent.git'],
  ['ssh://git@git.example.com:2222/acme/agent'],
  ['https://GIT.example.com:8443/Acme/agent.git'],
])('when a deployment is of %s, then a push reaches it', async (repo_url) => {
  const integration = await integrate('github');
  const id = await deployed('named', repo_url);
  expect(await send(integration, push)).toMatchObject({ deployments: [{ id, outcome: 'started' }] });
});

test('when a deployment has no ref, then its default branch is the one that the host says', async () => {
  const integration = await integrate('github');
  const request = gitRequest('default', { build_on_push: true });
  listener().refs.set('HEAD', sha(1));
  const { id } = await client().createDeployment({
    body: { ...request, source_revision_config: { langgraph_config_path: 'langgraph.json' } },
  });
  await listener().reach(await listener().next(id));
  await send(integration, { ...push, ref: 'refs/heads/other' });
  await send(integration, push);
  expect(await commits(id)).toEqual([sha(2), sha(1)]);
});

test('when a restart comes between a push and its revision, then neither is lost', async () => {
  const integration = await integrate('github');
  const [one, other] = [await deployed('one'), await deployed('other')];
  await send(integration, push);
  // The state that a process leaves when it is killed after the first of two deployments.
  await fixture().db.run('delete from deliveries');
  await fixture().db.run('delete from revisions where deployment_id = $1 and number = 2', [other]);
  await fixture().db.run(
    `update deployments set head_sha = $2, latest_revision_id =
       (select id from revisions where deployment_id = $1 and number = 1) where id = $1`,
    [other, sha(1)],
  );
  await fixture().restart();
  expect(await send(integration, push)).toMatchObject({
    deployments: [
      { id: one, outcome: 'known' },
      { id: other, outcome: 'started' },
    ],
  });
  for (const id of [one, other]) {
    const news = await until(async () => {
      await listener().poll();
      const found = listener().desired.get(id);
      return found?.revision?.number === 2 ? found : undefined;
    });
    await listener().reach(news);
    expect((await revisionsOf(fixture(), id)).map((revision) => revision.status)).toEqual([
      'DEPLOYED',
      'DEPLOYED',
    ]);
  }
});
