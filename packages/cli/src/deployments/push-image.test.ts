import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { json } from 'node:stream/consumers';
import { useFolderPerTest } from '@roadstead/testing';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { targetOf } from '../target/target.ts';
import { type FakeEngineOptions, fakeEngineProgram } from '../testing/fake-engine-program.ts';
import { deployPushedImage } from './deploy-image.ts';

const folder = useFolderPerTest('engine-program-');
afterEach(() => vi.unstubAllEnvs());

const TOKEN = 'a-token-of-an-hour';
const DIGEST = `sha256:${'d'.repeat(64)}`;
const deployment = { id: '0199d3a0-0000-7000-8000-000000000001', name: 'agent', secrets: [] };
const password = { kind: 'password', username: 'roadstead', token: TOKEN };
const bearer = { ...password, kind: 'bearer' };

interface Platform {
  readonly credential?: object;
  /** That of the registry; by default the platform itself is it. */
  readonly registry?: string;
  readonly found?: object;
}

/** A control plane that gives out logins, and keeps what it was asked. */
async function openPlatform({ credential = password, registry, found }: Platform) {
  const asked: (readonly [string, unknown])[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url = '' } = request;
    const body = ['POST', 'PATCH'].includes(method) ? await json(request).catch(() => undefined) : undefined;
    asked.push([`${method} ${url}`, body]);
    const [status, answer] = url.includes('push-token')
      ? [200, { ...credential, registry_url: `${registry ?? request.headers.host ?? ''}/v2-images` }]
      : method === 'GET'
        ? [200, { resources: found === undefined ? [] : [found] }]
        : [method === 'POST' ? 201 : 200, deployment];
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { target: targetOf(`http://${host}`, 'rs_key'), asked, registry: `${registry ?? host}/v2-images` };
}

/** Pushes `agent:dev`, on a machine that has these engines alone. */
async function pushed(platform: Platform, ...engines: readonly Omit<FakeEngineOptions, 'folder'>[]) {
  vi.stubEnv('PATH', folder());
  const { target, asked, registry } = await openPlatform(platform);
  const programs = await Promise.all(engines.map((one) => fakeEngineProgram({ ...one, folder: folder() })));
  const said: string[] = [];
  const outcome = await deployPushedImage(
    target,
    {
      name: 'agent',
      image_uri: 'agent:dev',
      secrets: [],
      place: {},
      fields: { source_config: {}, references: {} },
    },
    { signal: AbortSignal.timeout(60_000), onProgress: (line) => said.push(line) },
  ).then(
    () => 'deployed',
    (error: Error & { hint?: string }) => `${error.message} ${error.hint ?? ''}`.trim(),
  );
  const calls = (await Promise.all(programs.map((one) => one.calls()))).flat();
  const changed = asked.flatMap(([call, body]) => (call.startsWith('PATCH') ? [body] : []));
  return { outcome, said, asked, changed, calls, remote: `${registry}/agent:dev`, registry };
}
const linesOf = (calls: Awaited<ReturnType<typeof pushed>>['calls']) =>
  calls.map(({ args }) => args.join(' '));
const loginsOf = (calls: Awaited<ReturnType<typeof pushed>>['calls']) =>
  calls.flatMap(({ login, login_mode }) => (login === undefined ? [] : [{ login, login_mode }]));
const leftovers = async () => (await readdir(tmpdir())).filter((one) => one.startsWith('roadstead-push-'));

test('when docker pushes, then its login is a file of this push, and no argument', async () => {
  const before = await leftovers();
  const { outcome, changed, calls, remote, registry } = await pushed(
    {},
    { name: 'docker', names: ['agent:dev', 'b'] },
  );
  expect(outcome).toBe('deployed');
  const host = registry.split('/')[0] ?? '';
  const auth = Buffer.from(`roadstead:${TOKEN}`).toString('base64');
  expect(loginsOf(calls)).toEqual([{ login: { auths: { [host]: { auth } } }, login_mode: 0o600 }]);
  expect(linesOf(calls)).toEqual([
    '--version',
    `tag agent:dev ${remote}`,
    'context inspect --format {{.Endpoints.docker.Host}}',
    expect.stringMatching(/^--config \S+ --host unix:\/\/\/run\/chosen\.sock push \S+\/agent:dev$/),
    `image inspect --format {{json .RepoDigests}} ${remote}`,
    `image inspect --format {{json .RepoTags}} ${remote}`,
    `rmi ${remote}`,
  ]);
  expect(linesOf(calls).join('\n')).not.toMatch(new RegExp(`${TOKEN}|${auth}`));
  expect(changed).toEqual([{ source_config: {}, source_revision_config: { image_uri: remote } }]);
  expect(await leftovers()).toEqual(before);
});

test('when docker tells the digest, then that is deployed', async () => {
  const registry = 'registry.test';
  const digest = `${registry}/v2-images/agent@${DIGEST}`;
  const { changed, said } = await pushed({ registry }, { name: 'docker', digest });
  expect(changed).toEqual([{ source_config: {}, source_revision_config: { image_uri: digest } }]);
  expect(said).toEqual([`pushing agent:dev to ${registry}/v2-images/agent:dev`, `pushed ${digest}`]);
});

test('when the image has no other name, then the one of the registry stays', async () => {
  const { calls, outcome } = await pushed({}, { name: 'docker', names: ['one'] });
  expect(outcome).toBe('deployed');
  expect(linesOf(calls).filter((line) => line.startsWith('rmi'))).toEqual([]);
});

test('when the registry gives out a token, then docker gets it as it is', async () => {
  const { calls, outcome } = await pushed({ credential: bearer }, { name: 'docker' });
  expect(outcome).toBe('deployed');
  expect(loginsOf(calls)).toMatchObject([{ login: { auths: expect.objectContaining({}) } }]);
  expect(JSON.stringify(loginsOf(calls))).toContain(`{"registrytoken":"${TOKEN}"}`);
});

test('when the registry gives out a token, then podman is not asked, and a way is told', async () => {
  const { calls, outcome, changed, remote } = await pushed({ credential: bearer }, { name: 'podman' });
  expect(outcome).toMatch(
    /gives out tokens that podman takes from no file\. Log in there, push the image to/,
  );
  expect(outcome).toContain(remote);
  expect([linesOf(calls), changed]).toEqual([['--version'], []]);
});

test.each([
  ['alone', [{ name: 'podman' }]],
  ['by the name docker, too', [{ name: 'docker', version: 'podman' }, { name: 'podman' }]],
] as const)('when podman stands there %s, then it pushes by a file of logins', async (_case, engines) => {
  const { outcome, calls, changed, registry, remote } = await pushed(
    {},
    ...engines.map((one) => ({ ...one, digest: `a@${DIGEST}` })),
  );
  expect(outcome).toBe('deployed');
  expect(linesOf(calls)).toEqual([
    '--version',
    `tag agent:dev ${remote}`,
    expect.stringMatching(/^push --authfile \S+ --digestfile \S+ --tls-verify=false \S+\/agent:dev$/),
    `untag ${remote} ${remote}`,
  ]);
  expect(loginsOf(calls)).toMatchObject([{ login_mode: 0o600 }]);
  expect(changed).toEqual([
    { source_config: {}, source_revision_config: { image_uri: `${registry}/agent@${DIGEST}` } },
  ]);
});

test('when the registry is another host, then podman asks it over TLS', async () => {
  const { calls } = await pushed({ registry: 'registry.test' }, { name: 'podman' });
  expect(linesOf(calls).find((line) => line.startsWith('push'))).not.toContain('--tls-verify');
});

test('when the registry refuses the login, then its words are told, and nothing is deployed', async () => {
  const refusal = 'denied: requested access to the resource is denied';
  const { outcome, calls, changed, remote } = await pushed(
    {},
    { name: 'docker', refusal, names: ['a', 'b'] },
  );
  expect(outcome).toBe(`docker could not push the image: ${refusal}`);
  expect(changed).toEqual([]);
  expect(linesOf(calls).at(-1)).toBe(`rmi ${remote}`);
});

test('when there is no engine, then that is said, and nothing is deployed', async () => {
  const { outcome, changed } = await pushed({});
  expect(outcome).toBe('--push needs the command docker or podman, and neither is on this machine.');
  expect(changed).toEqual([]);
});

test('when a deployment of that name has another source, then nothing is pushed', async () => {
  const { outcome, calls } = await pushed(
    { found: { ...deployment, source: 'external_image', source_config: {} } },
    { name: 'docker' },
  );
  expect(outcome).toMatch(/^agent is deployed from an image/);
  expect(calls).toEqual([]);
});
