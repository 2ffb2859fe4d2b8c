import { uuidv7 } from '@roadstead/kit';
import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { fakeWorkspaces } from '../testing/fake-workspaces.ts';
import { OTHER_WORKSPACE, startFixture, WORKSPACE } from '../testing/observability-fixture.ts';

const fixture = useFixture(startFixture);

async function ask(path: string, init: RequestInit & { readonly workspace_id?: string } = {}) {
  const answer = await fixture().send(path, init);
  return { status: answer.status, text: await answer.text() };
}
const json = async (path: string, init: Parameters<typeof ask>[1] = {}) => {
  const { status, text } = await ask(path, init);
  expect([status, path, text]).toEqual([200, path, text]);
  return JSON.parse(text);
};
const sent = (method: string, body: object) => ({ method, body: JSON.stringify(body) });

test('when workspaces are listed, made, read or renamed, then identity does it', async () => {
  const tenant = {
    id: WORKSPACE,
    organization_id: WORKSPACE,
    display_name: 'default',
    tenant_handle: `workspace-${WORKSPACE}`,
    is_deleted: false,
  };
  expect(await json('/workspaces')).toMatchObject([
    { ...tenant, read_only: false, permissions: ['admin'], created_at: expect.any(String) },
  ]);
  const [other, ...more] = await fixture().client(OTHER_WORKSPACE).listWorkspaces({});
  expect([other?.id, more]).toEqual([OTHER_WORKSPACE, []]);
  expect(Date.parse(other?.created_at ?? '')).not.toBeNaN();
  const made = await json('/workspaces', sent('POST', { display_name: 'support', tenant_handle: 'helpers' }));
  expect(made).toMatchObject({
    display_name: 'support',
    tenant_handle: 'helpers',
    api_key: `key-${made.id}`,
  });
  expect(await json('/settings', { workspace_id: made.id })).toEqual({
    id: made.id,
    display_name: 'support',
    created_at: expect.any(String),
    tenant_handle: 'helpers',
  });
  expect((await ask('/workspaces', sent('POST', { id: made.id, display_name: 'again' }))).status).toBe(409);
  for (const tenant_handle of ['-', 'workspace-0', 'abcdef01-0000-4000-8000-000000000000']) {
    const posing = await ask('/workspaces', sent('POST', { display_name: 'posing', tenant_handle }));
    expect([tenant_handle, posing.status]).toEqual([tenant_handle, 422]);
    expect((await ask('/settings/handle', sent('POST', { tenant_handle }))).status).toBe(422);
  }
  expect((await ask(`/workspaces/${made.id}`)).status).toBe(404);
  const renamed = { ...sent('PATCH', { display_name: 'help' }), workspace_id: made.id };
  expect(await json(`/workspaces/${made.id}`, renamed)).toMatchObject({ display_name: 'help' });
  expect((await ask(`/workspaces/${made.id}`, sent('PATCH', { display_name: 'stolen' }))).status).toBe(404);
});

test('when somebody has a key, then they are a member', async () => {
  const member = { full_name: 'first', role_name: 'admin', read_only: false, tenant_id: WORKSPACE };
  expect(await json('/workspaces/current/members')).toMatchObject({ members: [member], pending: [] });
  expect(await json('/orgs/current/members')).toMatchObject({ members: [member] });
});

test('when the organisation is asked for, then it is the workspace, of which nothing is billed', async () => {
  expect(await json('/orgs/current')).toMatchObject({ id: WORKSPACE, connected_to_stripe: false });
  expect(await json('/orgs/current/billing')).toMatchObject({ current_plan: null });
  const renamed = await json('/orgs/current/info', {
    ...sent('PATCH', { display_name: 'Acme' }),
    workspace_id: OTHER_WORKSPACE,
  });
  expect(renamed).toMatchObject({ display_name: 'Acme', public_sharing_disabled: false });
  expect(await json('/orgs/current/info')).toMatchObject({ display_name: 'default' });
  const refused = await ask('/orgs/current/info', sent('PATCH', { public_sharing_disabled: true }));
  expect(refused).toEqual({ status: 501, text: expect.stringContaining('public_sharing_disabled') });
});

test('when secrets are set, then only their names are told, and they lie sealed in the database', async () => {
  const secrets = '/workspaces/current/secrets';
  const canary = 'sk-canary-4711';
  const wrote = await ask(
    secrets,
    sent('POST', [
      { key: 'OPENAI_API_KEY', value: canary },
      { key: 'OTHER', value: 'x' },
    ]),
  );
  expect(wrote).toEqual({ status: 200, text: expect.not.stringContaining('canary') });
  await ask(secrets, sent('POST', [{ key: 'OTHER', value: null }]));
  expect(await json(secrets)).toEqual([{ key: 'OPENAI_API_KEY' }]);
  expect(await json(secrets, { workspace_id: OTHER_WORKSPACE })).toEqual([]);
  const rows = await fixture().fresh.db.query('select * from traces.workspace_secrets');
  expect(JSON.stringify(rows)).not.toContain('canary');
  expect(rows).toMatchObject([{ sealed: expect.stringMatching(/^v1\./) }]);
  for (const key of ['', 'a b', '1A', 'A=B'])
    expect((await ask(secrets, sent('POST', [{ key, value: 'x' }]))).status).toBe(422);
});

test('when a secret is set by its name, then it is listed until it is removed by its name', async () => {
  const workspace_id = crypto.randomUUID();
  const secret = (method: string, body?: object) =>
    ask('/workspaces/current/secrets/OPENAI_API_KEY', {
      method,
      workspace_id,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const names = () => json('/workspaces/current/secrets?include_configs=true', { workspace_id });
  expect((await secret('PUT', {})).status).toBe(404);
  expect(await secret('PUT', { value: 'sk-canary' })).toEqual({
    status: 200,
    text: '{"key":"OPENAI_API_KEY"}',
  });
  expect((await secret('PUT', {})).status).toBe(200);
  const confined = await secret('PUT', { value: 'x', configs: [{ host_pattern: 'api.openai.com' }] });
  expect(confined).toEqual({ status: 501, text: expect.stringContaining('host') });
  expect(await names()).toEqual([{ key: 'OPENAI_API_KEY' }]);
  expect(await secret('DELETE')).toEqual({ status: 204, text: '' });
  expect((await secret('DELETE')).status).toBe(204);
  expect(await names()).toEqual([]);
});

test('when something is shared by link, then it is listed by name and can be taken back', async () => {
  const id = uuidv7();
  const run = {
    id,
    trace_id: id,
    dotted_order: `20260120T120000000000Z${id}`,
    name: 'shared run',
    run_type: 'chain',
    session_name: 'shared project',
    start_time: '2026-01-20T12:00:00.000Z',
  };
  expect((await ask('/runs', sent('POST', run))).status).toBe(202);
  const { share_token } = await json(`/runs/${id}/share`, sent('PUT', { run_id: id }));
  expect(await json('/workspaces/current/shared')).toMatchObject({
    entities: [
      { type: 'run', share_token, run_id: id, run_name: 'shared run', session_name: 'shared project' },
    ],
  });
  expect(await json('/workspaces/current/shared', { workspace_id: OTHER_WORKSPACE })).toEqual({
    entities: [],
  });
  const take = (body: object, workspace_id = WORKSPACE) =>
    json('/workspaces/current/shared', { ...sent('DELETE', body), workspace_id });
  expect(await take({ share_tokens: [share_token] }, OTHER_WORKSPACE)).toMatchObject({ removed: 0 });
  expect(await take({ share_tokens: [share_token] })).toMatchObject({ removed: 1 });
  await json(`/runs/${id}/share`, sent('PUT', { run_id: id }));
  expect(await take({ unshare_all: true })).toMatchObject({ removed: 1 });
  expect(await json('/workspaces/current/shared')).toEqual({ entities: [] });
  expect((await ask('/workspaces/current/shared', sent('DELETE', {}))).status).toBe(400);
});

test('when statistics are read, then they count what the workspace holds', async () => {
  const workspace_id = crypto.randomUUID();
  await fixture()
    .client(workspace_id)
    .createSession({ body: { name: 'one' } });
  await json('/repos', { ...sent('POST', { repo_handle: 'p', is_public: false }), workspace_id });
  for (const name of ['kept', 'deleted'])
    await fixture().client(workspace_id).createDataset({ body: { name } });
  // The state while its examples are being removed.
  await fixture().fresh.db.run(
    `update traces.datasets set deleted_at = now() where workspace_id = $1 and name = 'deleted'`,
    [workspace_id],
  );
  expect(await json('/workspaces/current/stats', { workspace_id })).toEqual({
    tenant_id: workspace_id,
    dataset_count: 1,
    tracer_session_count: 1,
    repo_count: 1,
    annotation_queue_count: 0,
    deployment_count: 0,
    dashboards_count: 0,
    evaluator_count: 0,
  });
});

test('when deployments have keys, then statistics count those deployments', async () => {
  const fake = fakeWorkspaces();
  const workspaces: typeof fake = (workspace_id) => ({
    ...fake(workspace_id),
    listApiKeys: async (asked) => {
      const { items } = await fake(workspace_id).listApiKeys(asked);
      const deployed = ['one', 'two', 'two', null].map((deployment_id) => ({ deployment_id }));
      return {
        items: items.flatMap((key) => deployed.map((one) => ({ ...key, ...one }))),
        next_cursor: null,
      };
    },
  });
  await using own = await startFixture({ workspaces });
  const stats = await own.send('/workspaces/current/stats');
  expect(await stats.json()).toMatchObject({ deployment_count: 2 });
});
