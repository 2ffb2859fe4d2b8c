import { expect, test } from 'vitest';
import { gzipSync } from 'node:zlib';
import { Deployment, ResourceSpec } from '@roadstead/contracts/control-plane';
import { fields } from '../specs/source-rules.ts';
import { createRequest } from '../testing/fixture.ts';
import { fresh, json, useDeployments } from '../testing/deployment-requests.ts';

const { fixture, create } = useDeployments();

const pushesOfTag = {
  source: 'git',
  source_config: { build_on_push: true },
  source_revision_config: { repo_ref: 'refs/tags/v1', langgraph_config_path: 'l.json' },
};
const image = (change: object) => ({
  source: 'external_image',
  source_revision_config: { image_uri: 'a:1' },
  ...change,
});
const body = (change: object) => ({ ...createRequest(fresh()), ...change });

test.each<[string, object, number, string]>([
  ['no graph configuration', { source_revision_config: {} }, 400, 'langgraph_config_path is required'],
  [
    'a path that leaves the source',
    { source_revision_config: { langgraph_config_path: '../l.json' } },
    400,
    'relative to the root',
  ],
  [
    'an absolute path',
    { source_revision_config: { langgraph_config_path: '/l.json' } },
    400,
    'relative to the root',
  ],
  [
    'resources',
    { source_config: { resource_spec: { cpu: 1 } } },
    400,
    'resource_spec applies to source external_image only',
  ],
  [
    'a tarball from nowhere',
    { source_revision_config: { langgraph_config_path: 'l.json', source_tarball_path: 'a' } },
    400,
    'upload-url',
  ],
  ['a reserved name', { secrets: [{ name: 'DATABASE_URI', value: 'canary' }] }, 400, 'DATABASE_URI'],
  ['a name of ours', { secrets: [{ name: 'ROADSTEAD_URL', value: 'canary' }] }, 400, 'ROADSTEAD_URL'],
  [
    'a pipe',
    { source_config: { install_command: 'npm ci | tee log' } },
    400,
    'install_command may not contain |',
  ],
  ['git', { source: 'git' }, 400, 'repo_url is required'],
  ['git by its other name', { source: 'github' }, 400, 'repo_url is required'],
  [
    'git where no listener fetches',
    { source: 'git', source_config: { repo_url: 'git@git.example.com:acme/agent' } },
    400,
    'builds and runs git',
  ],
  [
    'git with a password in its address',
    { source: 'git', source_config: { repo_url: 'https://canary:canary@git.example.com/acme/agent' } },
    400,
    'credentials come from an integration',
  ],
  [
    'git without a graph configuration',
    { source: 'git', source_revision_config: {} },
    400,
    'langgraph_config_path is required',
  ],
  ['git that builds on pushes of a tag', pushesOfTag, 400, 'repo_ref is a tag'],
  [
    'git with what is of images',
    { source: 'git', source_config: { resource_spec: {} } },
    400,
    'external_image only',
  ],
  [
    'a template',
    { source: 'internal_template', source_revision_config: {} },
    400,
    'template_id must be one of',
  ],
  [
    'a template with a path',
    { source: 'internal_template', source_config: { template_id: 'support-agent' } },
    400,
    'langgraph_config_path applies to',
  ],
  [
    'an image',
    { source: 'external_docker', source_revision_config: { image_uri: 'a:1' } },
    400,
    'runs images',
  ],
  [
    'an image with a mount of no volume',
    image({ source_config: { resource_spec: { volume_mounts: [{ name: 'v', mountPath: '/v' }] } } }),
    400,
    'source_config.resource_spec.volume_mounts[0].name must',
  ],
  [
    'an image with a volume of no good name',
    image({ source_config: { resource_spec: { volumes: [{ name: 'No_Label' }] } } }),
    422,
    '["body","source_config","resource_spec","volumes",0,"name"]',
  ],
  [
    'an image with a reference of a reserved name',
    image({ secret_references: [{ name: 'LANGSMITH_API_KEY', secret_name: 's', secret_key: 'k' }] }),
    400,
    'LANGSMITH_API_KEY',
  ],
  ['a pushed image', { source: 'internal_docker', source_revision_config: {} }, 400, 'runs images'],
  ['an unknown source', { source: 'ftp' }, 422, 'source'],
  ['a name in capitals', { name: 'Agent' }, 422, 'name'],
  ['too much CPU', { source_config: { resource_spec: { cpu: 99 } } }, 422, 'resource_spec'],
  ['no secrets', { secrets: undefined }, 422, 'secrets'],
  [
    'a NUL in a secret',
    { secrets: [{ name: 'A', value: 'canary\0canary' }] },
    422,
    '["body","secrets",0,"value"]',
  ],
  ['a NUL in a name', { secrets: [{ name: 'A\0', value: '1' }] }, 422, '["body","secrets",0,"name"]'],
  ['a sign in a name', { secrets: [{ name: 'A=B', value: '1' }] }, 422, '["body","secrets",0,"name"]'],
])(
  'when a deployment is created with %s, then it is refused, and no secret is repeated',
  async (_case, change, status, sentence) => {
    const answer = await fixture().send('/v2/deployments', json(body(change)));
    const text = await answer.text();
    expect([answer.status, text]).toEqual([status, expect.stringContaining(sentence)]);
    expect(text).not.toContain('canary');
    const { detail } = JSON.parse(text) as { detail: unknown };
    expect(Array.isArray(detail)).toBe(status === 422);
  },
);

test('when a field has a wrong shape, then it is 422 at its place, without what was sent', async () => {
  const { id } = await create();
  const wrong = [['canary']];
  const amounts = Object.keys(ResourceSpec.out.shape);
  const paths = [
    ...fields.filter((field) => !field.endsWith('repo_commit_sha')).map((field) => field.split('.')),
    ...amounts.map((name) => ['source_config', 'resource_spec', name]),
  ];
  for (const path of paths) {
    const sent = path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), wrong);
    const answer = await fixture().send(`/v2/deployments/${id}`, json(sent, {}, 'PATCH'));
    const text = await answer.text();
    expect([path, answer.status, text]).toEqual([path, 422, expect.not.stringContaining('canary')]);
    const { detail } = JSON.parse(text) as { detail: { loc: string[] }[] };
    expect([path, detail[0]?.loc.slice(0, path.length + 1)]).toEqual([path, ['body', ...path]]);
  }
  expect(paths.length).toBeGreaterThanOrEqual(60);
});

test('when a display name is sent, then it is changed, never cleared, and makes no revision', async () => {
  const client = fixture().client();
  const created = await create();
  expect(created.display_name).toBe(null);
  const params = { deployment_id: created.id };
  const change = (display_name: string | null) => client.patchDeployment({ params, body: { display_name } });
  const { name, latest_revision_id } = created;
  const named = { display_name: 'Support Agent', name, latest_revision_id };
  expect(await change('Support Agent')).toMatchObject(named);
  expect(await change(null)).toMatchObject(named);
  await expect(change('')).rejects.toMatchObject({ status: 422 });
  expect(await client.readDeployment({ params })).toMatchObject(named);
  const other = await client.createDeployment({ body: { ...createRequest(fresh()), display_name: 'Other' } });
  expect(other.display_name).toBe('Other');
});

test('when a secret in a patch holds a NUL, then it is refused, and everything stays as it was', async () => {
  const { id } = await create();
  const path = `/v2/deployments/${id}`;
  const secrets = [
    { name: 'A', value: '1' },
    { name: 'B', value: 'canary\0canary' },
  ];
  const answer = await fixture().send(path, json({ secrets }, {}, 'PATCH'));
  const text = await answer.text();
  expect([answer.status, text]).toEqual([422, expect.stringContaining('["body","secrets",1,"value"]')]);
  expect(text).not.toContain('canary');
  expect(Deployment.parse(await (await fixture().send(path)).json()).secrets).toEqual([]);
});

test('when the original CLI creates without a path, then its patch brings everything', async () => {
  const answer = await fixture().send(
    '/api-host/v2/deployments',
    json({
      ...createRequest(fresh()),
      source_config: { deployment_type: 'dev' },
      source_revision_config: {},
    }),
  );
  expect(answer.status).toBe(201);
  const { id } = Deployment.parse(await answer.json());
  const address = await (
    await fixture().send(`/api-host/deployments/${id}/upload-url`, { method: 'POST' })
  ).json();
  const { upload_url, object_path } = address as { upload_url: string; object_path: string };
  const put = await fixture().fetch(
    new Request(upload_url, {
      method: 'PUT',
      body: gzipSync('x'),
      headers: { 'content-type': 'application/gzip', 'x-goog-content-length-range': '0,209715200' },
    }),
  );
  expect(put.status).toBe(200);
  const patch = (source_revision_config: object) =>
    fixture().send(
      `/api-host/v2/deployments/${id}`,
      json({ revision_source: 'internal_source', secrets: [], source_revision_config }, {}, 'PATCH'),
    );
  expect((await patch({ source_tarball_path: object_path })).status).toBe(400);
  const patched = await patch({ source_tarball_path: object_path, langgraph_config_path: 'l.json' });
  expect(patched.status).toBe(200);
  expect(Deployment.parse(await patched.json()).source_revision_config).toMatchObject({
    langgraph_config_path: 'l.json',
  });
});
