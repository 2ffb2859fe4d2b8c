import { execFile } from 'node:child_process';
import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { useFixturePerTest } from '@roadstead/testing';
import { beforeEach, expect, test } from 'vitest';
import { type Fixture, OTHER_WORKSPACE, startFixture } from '../testing/fixture.ts';
import { gitRequest } from '../testing/git.ts';
import { makeSshKey, readSshKey } from '../git-hosts/ssh-keys.ts';

const run = promisify(execFile);
const app_key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
  type: 'pkcs8',
  format: 'pem',
}) as string;
const app = { kind: 'github_app', app_id: '4711', installation_id: 12, private_key: app_key } as const;
const token = { kind: 'token', token: 'canary-token' } as const;

let asked: Request[];
let answers: Record<string, () => Response>;
beforeEach(() => {
  asked = [];
  answers = {};
});
const fixture = useFixturePerTest(() =>
  startFixture({
    outbound: async (request) => {
      asked.push(request);
      const { origin, pathname } = new URL(request.url);
      return answers[origin + pathname]?.() ?? new Response('{}', { status: 404 });
    },
  }),
);
const client = () => fixture().client();

const create = (
  body: Parameters<ReturnType<Fixture['client']>['createIntegration']>[0]['body'],
  workspace_id?: string,
) => fixture().client(workspace_id).createIntegration({ body });

test('when an integration is made, then its credential is sealed, and shown by fingerprint only', async () => {
  const made = await create({ kind: 'github', name: 'acme', host: 'GitHub.com', credential: token });
  expect(made).toMatchObject({
    host: 'github.com',
    credential: {
      kind: 'token',
      username: 'x-access-token',
      fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/),
    },
    webhook_url: `http://roadstead.test/v2/hooks/git/${made.id}`,
    webhook_secret: expect.stringMatching(/^whsec_/),
  });
  const params = { integration_id: made.id };
  const client = fixture().client();
  expect((await client.readIntegration({ params })).webhook_secret).toBeNull();
  const rotated = await client.patchIntegration({
    params,
    body: { rotate_webhook_secret: true, name: 'ours' },
  });
  expect(rotated.name).toBe('ours');
  expect(rotated.webhook_secret).not.toBe(made.webhook_secret);
  const rows = JSON.stringify(await fixture().db.query('select * from integrations'));
  const seen = JSON.stringify([
    made,
    rotated,
    await client.listIntegrations({ query: {} }),
    fixture().logged,
    rows,
  ]);
  expect(seen).not.toContain('canary-token');
  expect(rows).not.toContain(rotated.webhook_secret);
});

test('when an integration is made, changed or removed, then that is an event without credential', async () => {
  const client = fixture().client();
  const { id } = await create({ kind: 'github', name: 'acme', host: 'github.com', credential: token });
  const params = { integration_id: id };
  await client.patchIntegration({ params, body: { credential: { ...token, token: 'canary-second' } } });
  await client.deleteIntegration({ params });
  const { items } = await client.listEvents({ query: { kind: 'integration' } });
  const about = { actor: expect.stringMatching(/^key:/), detail: { integration_id: id, host: 'github.com' } };
  const kinds = ['deleted', 'changed', 'created'].map((verb) => ({ kind: `integration.${verb}`, ...about }));
  expect(items).toMatchObject(kinds);
  expect(JSON.stringify(items)).not.toContain('canary');
});

test('when a name is taken, or an integration used, then it is 409; other workspaces get 404', async () => {
  await fixture().listener().poll(0, ['archive', 'git']);
  const made = await create({ kind: 'generic', name: 'acme', host: 'git.example.com' });
  await expect(create({ kind: 'gitea', name: 'acme', host: 'h' })).rejects.toMatchObject({ status: 409 });
  await create({ kind: 'gitea', name: 'acme', host: 'h' }, OTHER_WORKSPACE);
  const params = { integration_id: made.id };
  const other = fixture().client(OTHER_WORKSPACE);
  for (const attempt of [
    () => other.readIntegration({ params }),
    () => other.patchIntegration({ params, body: { name: 'mine' } }),
    () => other.deleteIntegration({ params }),
    () => other.listGitRepositories({ params }),
  ])
    await expect(attempt()).rejects.toMatchObject({ status: 404 });
  await client().createDeployment({ body: gitRequest('user', { integration_id: made.id }) });
  await expect(client().deleteIntegration({ params })).rejects.toMatchObject({
    status: 409,
    message: expect.stringContaining('user'),
  });
});

test.each([
  ['a key where there is none', { kind: 'ssh_key', private_key: 'canary' }, 'private key'],
  ['an app that is not GitHub’s', app, 'github_app'],
] as const)(
  'when a credential is %s, then it is 400 and not repeated',
  async (_case, credential, sentence) => {
    await expect(create({ kind: 'gitlab', name: 'acme', host: 'h', credential })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining(sentence),
    });
  },
);

test('when the credential is a token, then only https is taken, and only ssh for a key', async () => {
  await fixture().listener().poll(0, ['archive', 'git']);
  const host = 'git.example.com';
  const byToken = await create({ kind: 'gitlab', name: 'token', host, credential: token });
  const byKey = await create({ kind: 'gitlab', name: 'key', host, credential: { kind: 'ssh_key' } });
  expect(byKey.credential?.public_key).toMatch(/^ssh-ed25519 [A-Za-z0-9+/]{68} roadstead$/);
  const deploy = (integration_id: string, repo_url: string) =>
    client().createDeployment({
      body: gitRequest(`d${Math.random()}`.replace('.', ''), { integration_id, repo_url }),
    });
  const [https, ssh] = ['https://git.example.com/a/b', 'git@git.example.com:a/b.git'];
  await expect(deploy(byToken.id, ssh)).rejects.toMatchObject({ status: 400 });
  await expect(deploy(byKey.id, https)).rejects.toMatchObject({ status: 400 });
  await expect(deploy(byToken.id, 'https://git.example.com:8443/a/b')).rejects.toMatchObject({ status: 400 });
  await deploy(byToken.id, https);
  await deploy(byKey.id, ssh);
});

test('when keys are made or given, then OpenSSH reads them as we do', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'roadstead-keys-'));
  try {
    const pems = [
      generateKeyPairSync('ed25519'),
      generateKeyPairSync('rsa', { modulusLength: 2048 }),
      generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    ].map(({ privateKey }) => privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
    const keys = [makeSshKey(), ...pems.map(readSshKey), readSshKey(makeSshKey().private_key)];
    for (const [index, { private_key, public_key, fingerprint }] of keys.entries()) {
      const file = join(folder, `key-${index}`);
      await writeFile(file, private_key, { mode: 0o600 });
      const { stdout: shown } = await run('ssh-keygen', ['-y', '-f', file]);
      expect(shown.trim().split(' ').slice(0, 2)).toEqual(public_key.split(' ').slice(0, 2));
      const { stdout: listed } = await run('ssh-keygen', ['-l', '-f', file]);
      expect(listed).toContain(fingerprint);
    }
    const secret = join(folder, 'secret');
    await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', 'a passphrase', '-f', secret]);
    const { stdout } = await run('cat', [secret]);
    expect(() => readSshKey(stdout)).toThrow('passphrase');
    expect(() => readSshKey(stdout.slice(0, 120))).toThrow('cut off');
  } finally {
    await rm(folder, { recursive: true });
  }
});

const github = (name: string, id = 1) => ({
  id,
  name,
  owner: { login: 'acme' },
  clone_url: `https://github.com/acme/${name}.git`,
  default_branch: 'main',
});
const shown = { id: 1, name: 'agent', owner: 'acme', default_branch: 'main' };

test('when repositories are listed, then it is as each host answers, page after page', async () => {
  answers['https://api.github.com/user/repos'] = () => {
    const isFirst = new URL(asked.at(-1)?.url ?? '').searchParams.get('page') === '1';
    const headers = isFirst ? { link: '<https://api.github.com/user/repos?page=2>; rel="next"' } : {};
    return Response.json([github(isFirst ? 'agent' : 'other', isFirst ? 1 : 2)], { headers });
  };
  answers['https://git.example.com/api/v3/user/repos'] = () => Response.json([github('agent')]);
  answers['https://git.example.com/api/v1/user/repos'] = () => Response.json([github('agent')]);
  answers['https://git.example.com:8443/api/v4/projects'] = () =>
    Response.json([
      {
        id: 1,
        path: 'agent',
        namespace: { full_path: 'acme' },
        http_url_to_repo: 'https://git.example.com:8443/acme/agent.git',
        default_branch: 'main',
      },
    ]);
  const client = fixture().client();
  const own = await create({ kind: 'github', name: 'github', host: 'github.com', credential: token });
  const params = { integration_id: own.id };
  const all = await client.listGithubRepositories({ params });
  expect(all).toMatchObject([
    { ...shown, host_integration_id: own.id, url: 'https://github.com/acme/agent.git' },
    { name: 'other' },
  ]);
  const first = await client.listRepositories({ params, query: { page_size: '1' } });
  expect(first.items).toMatchObject([shown]);
  const rest = await client.listRepositories({ params, query: { cursor: first.next_cursor ?? '' } });
  expect(rest).toMatchObject({ items: [{ name: 'other' }], next_cursor: null });
  for (const [kind, host] of [
    ['github', 'git.example.com'],
    ['gitea', 'git.example.com'],
    ['gitlab', 'git.example.com:8443'],
  ] as const) {
    const { id } = await create({ kind, name: `${kind} elsewhere`, host, credential: token });
    expect(await client.listGitRepositories({ params: { integration_id: id } })).toMatchObject([shown]);
    expect(asked.at(-1)?.headers.get('authorization')).toContain('canary-token');
  }
  const installed = await client.listGitInstallations({});
  expect(installed).toHaveLength(4);
  expect(installed.at(-1)).toEqual({
    id: own.id,
    name: 'github',
    host: 'github.com',
    kind: 'github',
    installation_id: own.installation_id,
  });
});

test.each([
  [401, 400, 'refuses the credential'],
  [403, 400, 'refuses the credential'],
  [500, 503, 'right now'],
  [302, 400, '302'],
] as const)('when a host answers %i, then the caller is answered %i', async (given, status, sentence) => {
  answers['https://api.github.com/user/repos'] = () => new Response('canary', { status: given });
  const { id } = await create({ kind: 'github', name: 'github', host: 'github.com', credential: token });
  await expect(client().listGitRepositories({ params: { integration_id: id } })).rejects.toMatchObject({
    status,
    message: expect.stringContaining(sentence),
  });
});

test('when a host has no API, or the credential is a key, then listing repositories is refused', async () => {
  for (const [kind, credential] of [
    ['generic', token],
    ['github', { kind: 'ssh_key' }],
  ] as const) {
    const { id } = await create({ kind, name: kind, host: 'git.example.com', credential });
    await expect(client().listGitRepositories({ params: { integration_id: id } })).rejects.toMatchObject({
      status: 400,
    });
  }
  expect(asked).toEqual([]);
});

test('when a GitHub App gets a token, then it is kept until shortly before it ends', async () => {
  await expect(client().createInstallationLink({})).rejects.toMatchObject({ status: 400 });
  const made = await create({ kind: 'github', name: 'app', host: 'github.com', credential: app });
  expect(made).toMatchObject({ installation_id: 12, credential: { kind: 'github_app', app_id: '4711' } });
  let lives_s = 3600;
  answers['https://api.github.com/app/installations/12/access_tokens'] = () => {
    const expires_at = new Date(Date.now() + lives_s * 1000).toISOString();
    return Response.json({ token: `token-${asked.length}`, expires_at }, { status: 201 });
  };
  answers['https://api.github.com/app'] = () => Response.json({ html_url: 'https://github.com/apps/acme' });
  answers['https://api.github.com/installation/repositories'] = () =>
    Response.json({ total_count: 1, repositories: [github('agent')] });
  const listener = fixture().listener();
  await listener.poll(0, ['archive', 'git']);
  const repo_url = 'https://github.com/acme/agent';
  const { id } = await client().createDeployment({
    body: gitRequest('app', { integration_id: made.id, repo_url }),
  });
  await listener.next(id);
  const credentials = { kind: 'token', username: 'x-access-token', token: 'token-1' };
  expect([await listener.credentials(id), await listener.credentials(id)]).toEqual([
    credentials,
    credentials,
  ]);
  expect(asked).toHaveLength(1);
  const [head = '', claims = '', signature = ''] = (asked[0]?.headers.get('authorization') ?? '')
    .replace('Bearer ', '')
    .split('.');
  const signed = Buffer.from(`${head}.${claims}`);
  expect(verify('RSA-SHA256', signed, createPublicKey(app_key), Buffer.from(signature, 'base64url'))).toBe(
    true,
  );
  const { iat, exp, iss } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, number>;
  expect(iss).toBe('4711');
  expect((exp ?? 0) - (iat ?? 0)).toBeLessThanOrEqual(600);
  expect(await client().createInstallationLink({})).toEqual({
    install_url: 'https://github.com/apps/acme/installations/new',
    oauth_reuse_url: null,
  });
  expect(await client().listGitRepositories({ params: { integration_id: made.id } })).toMatchObject([shown]);
  lives_s = 60;
  await fixture().restart();
  const before = asked.length;
  await listener.credentials(id);
  await listener.credentials(id);
  expect(asked.length).toBe(before + 2);
});
