import { expect, test } from 'vitest';
import type { Connection } from '@roadstead/contracts/control-plane';
import { deploy, OTHER_WORKSPACE } from '../../testing/fixture.ts';
import { type AuthFixture, startAuthFixture } from '../testing/auth-fixture.ts';

const connectionsOf = async (fixture: AuthFixture, agent_id: string, key?: string) =>
  (await fixture.call(`/v2/auth/agents/${agent_id}/connections`, key === undefined ? {} : { key })).json<{
    data: Connection[];
  }>().data;

/** The key of a deployment, which its agents use. */
async function deployed(fixture: AuthFixture, name: string) {
  const { id } = await deploy(fixture, name);
  const listener = fixture.listener();
  const news = await listener.next(id, ({ revision }) => revision !== null);
  const environment = await listener.environment(id, news.revision?.id ?? '');
  return { id, key: environment['LANGSMITH_API_KEY'] ?? '', environment };
}

test('when a user consents, then the agent that asked has the token, and no other has', async () => {
  await using fixture = await startAuthFixture();
  const [first, second] = [await deployed(fixture, 'first'), await deployed(fixture, 'second')];
  expect(first.environment['LANGSMITH_API_URL']).toBe('http://roadstead.test');
  const agent = { agent_id: 'fe096781-5601-53d2-b2f6-0d3403f7e9ca' };
  const asked = await fixture.authenticate(agent, first.key);
  expect(asked.status).toBe('pending');
  const { shown } = await fixture.consent(asked.url ?? '');
  expect(shown).toContain('first');
  const { token, status } = await fixture.authenticate(agent, first.key);
  expect([status, await fixture.server.look(token ?? '')]).toMatchObject(['completed', { account: 'anna' }]);
  // The same assistant of another deployment is another agent.
  expect(await fixture.authenticate(agent, second.key)).toMatchObject({
    status: 'connection_required',
    token: null,
    url: expect.stringContaining('/auth?'),
  });
  const theirs = await fixture.call(`/v2/auth/wait/${asked.auth_id}?timeout=0`, { key: second.key });
  expect(theirs.json()).toEqual({ status: 'not_found', token: null });
  expect(await connectionsOf(fixture, agent.agent_id)).toMatchObject([
    { agent_id: agent.agent_id, deployment_id: first.id, provider_id: 'mail', scopes: ['repo'] },
  ]);
});

test('when the key is a deployment’s own, then it asks for tokens, and does nothing else here', async () => {
  await using fixture = await startAuthFixture();
  const { key } = await deployed(fixture, 'first');
  for (const path of ['/v2/auth/tokens', '/v2/auth/providers', '/v2/auth/token-events'])
    expect([path, (await fixture.call(path, { key })).status]).toEqual([path, 403]);
  const body = { provider_id: 'mail', access_token: 'x' };
  expect((await fixture.call('/v2/auth/tokens/import', { key, body })).status).toBe(403);
});

test('when a deployment no longer knows its key, then the key still acts for its own agents only', async () => {
  await using fixture = await startAuthFixture();
  const { key } = await deployed(fixture, 'first');
  await fixture.call('/v2/auth/tokens/import?user_id=anna', {
    body: { provider_id: 'mail', access_token: 'of-anna', scopes: ['repo'] },
  });
  // An edge elsewhere believes a revoked key for a while.
  await fixture.db.run('update deployments set key_id = null');
  expect(await fixture.authenticate({}, key)).toMatchObject({ status: 'connection_required', token: null });
});

test('when a user connects a token to an agent, then it gets that, until the user ends it', async () => {
  await using fixture = await startAuthFixture();
  const { id: deployment_id, key } = await deployed(fixture, 'first');
  await fixture.call('/v2/auth/tokens/import?user_id=anna', {
    body: { provider_id: 'mail', access_token: 'of-anna', scopes: ['repo'] },
  });
  const [token] = (await fixture.call('/v2/auth/tokens')).json<{ id: string }[]>();
  expect((await fixture.authenticate({}, key)).status).toBe('connection_required');
  const at = `/v2/auth/agents/${deployment_id}/connections`;
  const made = await fixture.call(at, { body: { oauth_token_id: token?.id } });
  expect([made.status, made.json()]).toMatchObject([201, { deployment_id, oauth_token_id: token?.id }]);
  // A connection of a deployment counts for all of its agents.
  expect((await fixture.authenticate({ agent_id: 'any' }, key)).token).toBe('of-anna');
  expect((await fixture.authenticate({ user_id: 'ben' }, key)).status).toBe('pending');
  const again = await fixture.call(at, { body: { oauth_token_id: token?.id } });
  expect(again.json()).toEqual(made.json());
  const { id } = made.json<Connection>();
  const other = `rs_admin_${OTHER_WORKSPACE}`;
  expect(await connectionsOf(fixture, deployment_id, other)).toEqual([]);
  expect((await fixture.call(`${at}/${id}`, { method: 'DELETE', key: other })).status).toBe(404);
  expect((await fixture.call(`${at}/${id}`, { method: 'DELETE' })).status).toBe(204);
  expect((await fixture.authenticate({}, key)).status).toBe('connection_required');
});

test('when an agent is disconnected, then the request that connected it gives nothing more', async () => {
  await using fixture = await startAuthFixture();
  const { key } = await deployed(fixture, 'first');
  const { url, auth_id } = await fixture.authenticate({ agent_id: 'helper' }, key);
  await fixture.consent(url ?? '');
  const wait = async () => (await fixture.call(`/v2/auth/wait/${auth_id}?timeout=0`, { key })).json();
  expect(await wait()).toMatchObject({ status: 'completed', token: expect.any(String) });
  const [connection] = await connectionsOf(fixture, 'helper');
  await fixture.call(`/v2/auth/agents/helper/connections/${connection?.id}`, { method: 'DELETE' });
  expect(await wait()).toEqual({ status: 'not_found', token: null });
});

test('when an agent asks for more, then it gets a token of its own, and others keep theirs', async () => {
  await using fixture = await startAuthFixture();
  const [first, second] = [await deployed(fixture, 'first'), await deployed(fixture, 'second')];
  for (const { key } of [first, second])
    await fixture.consent((await fixture.authenticate({}, key)).url ?? '');
  const [before, wider] = [
    await fixture.authenticate({}, second.key),
    await fixture.authenticate({ scopes: ['admin'] }, first.key),
  ];
  await fixture.consent(wider.url ?? '');
  const { token } = await fixture.authenticate({ scopes: ['admin', 'repo'] }, first.key);
  expect(await fixture.server.look(token ?? '')).toMatchObject({ scopes: ['admin', 'repo'] });
  expect((await fixture.authenticate({}, second.key)).token).toBe(before.token);
});

test('when an agent is given a token of its own, then it replaces the one before', async () => {
  await using fixture = await startAuthFixture();
  const { id: deployment_id, key } = await deployed(fixture, 'first');
  const give = (access_token: string) =>
    fixture.call(`/v2/auth/agents/${deployment_id}/providers/mail/tokens`, {
      body: { access_token, scopes: ['repo'], provider_account_label: 'the bot' },
    });
  const given = await give('of-the-bot');
  expect([given.status, given.json()]).toMatchObject([201, { provider_account_label: 'the bot' }]);
  for (const user_id of ['anna', 'ben'])
    expect((await fixture.authenticate({ user_id }, key)).token).toBe('of-the-bot');
  expect((await give('of-the-next')).status).toBe(201);
  expect((await fixture.authenticate({}, key)).token).toBe('of-the-next');
  expect(await connectionsOf(fixture, deployment_id)).toHaveLength(1);
  expect(await fixture.db.query('select id from oauth_tokens')).toHaveLength(1);
  const none = await fixture.call('/v2/auth/agents/a/providers/none/tokens', { body: { access_token: 'x' } });
  expect(none.status).toBe(404);
});

test('when a program names an agent, then it needs the agent’s connection', async () => {
  await using fixture = await startAuthFixture();
  await fixture.call('/v2/auth/tokens/import?user_id=anna', {
    body: { provider_id: 'mail', access_token: 'of-anna', scopes: ['repo'] },
  });
  expect((await fixture.authenticate()).token).toBe('of-anna');
  const asked = await fixture.authenticate({ agent_id: 'helper' });
  expect(asked.status).toBe('connection_required');
  await fixture.consent(asked.url ?? '');
  const { token } = await fixture.authenticate({ agent_id: 'helper' });
  expect(await fixture.server.look(token ?? '')).toMatchObject({ account: 'anna' });
  // The user’s default stays what it was.
  expect((await fixture.authenticate()).token).toBe('of-anna');
});
