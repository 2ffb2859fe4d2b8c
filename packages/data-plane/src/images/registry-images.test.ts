import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Problem, silentLog } from '@roadstead/kit';
import { createGuardedFetch } from '@roadstead/outbound';
import { expect, test } from 'vitest';
import { SourceAway } from '../ports/source-away.ts';
import { RegistryClient } from './registry-client.ts';
import { type ReadPullLogins, RegistryImages } from './registry-images.ts';

const calm = () => ({
  deployment_id: 'deployment',
  pull_secrets: [],
  onLine: () => undefined,
  signal: new AbortController().signal,
});
const digestOf = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;

const configuration = JSON.stringify({
  os: 'linux',
  architecture: 'amd64',
  config: {
    Env: ['A=b'],
    ExposedPorts: { '9000/tcp': {} },
    WorkingDir: '/app',
    Healthcheck: { Test: ['CMD', 'x'] },
  },
});
const manifest = JSON.stringify({ schemaVersion: 2, config: { digest: digestOf(configuration) } });
const platforms = (architecture: string) =>
  JSON.stringify({ manifests: [{ digest: digestOf(manifest), platform: { os: 'linux', architecture } }] });

/** No image is of the platform's own registry. */
const own = { ownerOf: () => undefined, isAnothers: () => false, loginFor: async () => undefined };

/** What a registry has, by the end of its addresses. */
type Content = Readonly<Record<string, string>>;

const all: Content = {
  'manifests/one': manifest,
  'manifests/many': platforms('amd64'),
  'manifests/other': platforms('s390x'),
  'manifests/list': '[]',
  'manifests/broken': 'no JSON',
  [`manifests/${digestOf(manifest)}`]: manifest,
  [`manifests/${digestOf('another')}`]: manifest,
  [`blobs/${digestOf(configuration)}`]: configuration,
};

async function openRegistry(
  answer?: (request: IncomingMessage, response: ServerResponse) => boolean,
  pullLogins: ReadPullLogins = async () => ({ logins: [], problem: undefined }),
) {
  const server = createServer((request, response) => {
    if (answer?.(request, response) === true) return;
    const found = Object.entries(all).find(([end]) => request.url === `/v2/team/agent/${end}`)?.[1];
    response
      .writeHead(found === undefined ? 404 : 200)
      .end(found ?? '{"errors":[{"code":"MANIFEST_UNKNOWN"}]}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const registry = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const images = new RegistryImages({
    registries: new RegistryClient({
      fetch: createGuardedFetch({ allowed_hosts: ['127.0.0.1'] }),
      loginAt: async () => ({ username: 'user', password: 'secret', serveraddress: registry }),
      own,
    }),
    own,
    platform: 'linux/amd64',
    pullLogins,
    log: silentLog,
  });
  return {
    images,
    registry,
    name: `${registry}/team/agent`,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

test.each([
  ['one', manifest],
  ['many', platforms('amd64')],
])(
  'when the tag %s is resolved, then it is pinned by what it names, and its kind is known',
  async (tag, top) => {
    await using registry = await openRegistry();
    const pinned = await registry.images.resolve(`${registry.name}:${tag}`, calm());
    expect(pinned).toBe(`${registry.name}@${digestOf(top)}`);
  },
);

test('when an image is pinned, then its kind is that of its configuration', async () => {
  await using registry = await openRegistry();
  const kind = await registry.images.kindOf(`${registry.name}@${digestOf(manifest)}`, calm());
  expect(kind).toMatchObject({ kind: 'server', port: 9000, check: { command: ['x'], retries: 3 } });
});

test.each([
  [':absent', 'image_not_found'],
  [':other', 'image_platform'],
  [':list', 'image_config'],
  [`@${digestOf('another')}`, 'image_not_found'],
])('when an image %s is not fit, then the code says why', async (version, code) => {
  await using registry = await openRegistry();
  await expect(registry.images.resolve(`${registry.name}${version}`, calm())).rejects.toMatchObject({ code });
});

test('when a registry answers no JSON, then it counts as away', async () => {
  await using registry = await openRegistry();
  await expect(registry.images.resolve(`${registry.name}:broken`, calm())).rejects.toBeInstanceOf(SourceAway);
});

test.each([
  [401, 'image_denied', false],
  [403, 'image_denied', false],
  [429, 'registry_busy', true],
  [503, 'registry_away', true],
])('when a registry answers %d, then that is %s', async (status, code, passes) => {
  await using registry = await openRegistry((_request, response) => {
    response.writeHead(status).end();
    return true;
  });
  const failure: unknown = await registry.images
    .resolve(`${registry.name}:one`, calm())
    .catch((error: unknown) => error);
  expect(failure instanceof SourceAway).toBe(passes);
  expect(failure instanceof SourceAway ? failure.problem : failure).toMatchObject({ code });
});

test('when a registry wants a token, then the login gets one, for reading alone', async () => {
  const asked: string[] = [];
  await using registry = await openRegistry((request, response) => {
    const { url = '', headers } = request;
    if (url.startsWith('/token')) {
      asked.push(`${url} ${headers.authorization}`);
      response.end('{"token":"given"}');
      return true;
    }
    if (headers.authorization === 'Bearer given') return false;
    const realm = `http://${headers.host}/token`;
    response.writeHead(401, { 'www-authenticate': `Bearer realm="${realm}",service="here"` }).end();
    return true;
  });
  await registry.images.resolve(`${registry.name}:one`, calm());
  const basic = `Basic ${Buffer.from('user:secret').toString('base64')}`;
  expect(new Set(asked)).toEqual(
    new Set([`/token?service=here&scope=repository%3Ateam%2Fagent%3Apull ${basic}`]),
  );
});

const basicOf = (user: string) => `Basic ${Buffer.from(`${user}:secret`).toString('base64')}`;
const login = (at: string, username: string) => ({ at, username, password: 'secret' });

/** A registry that gives something to one user alone. */
const givesTo =
  (user: string, asked: unknown[] = []) =>
  ({ headers }: IncomingMessage, response: ServerResponse) => {
    asked.push(headers.authorization);
    if (headers.authorization === basicOf(user)) return false;
    response.writeHead(401, { 'www-authenticate': 'Basic realm="here"' }).end();
    return true;
  };

test('when a login of the deployment is not good, then that of the operator is tried after it', async () => {
  const asked: unknown[] = [];
  await using registry = await openRegistry(givesTo('user', asked), async () => ({
    logins: [login(registry.name, 'wrong'), login('other.test', 'elsewhere')],
    problem: undefined,
  }));
  await registry.images.resolve(`${registry.name}:one`, calm());
  expect(asked.slice(0, 3)).toEqual([undefined, basicOf('wrong'), basicOf('user')]);
});

test.each([401, 403])(
  'when one login finds no image and the next is answered %d, then there is none',
  async (status) => {
    await using registry = await openRegistry(
      ({ headers }, response) => {
        const isFirst = headers.authorization === basicOf('mine');
        response.writeHead(headers.authorization === undefined ? 401 : isFirst ? 404 : status, {
          'www-authenticate': 'Basic realm="here"',
        });
        response.end(isFirst ? '{"errors":[{"code":"MANIFEST_UNKNOWN"}]}' : '');
        return true;
      },
      async () => ({ logins: [login(registry.name, 'mine')], problem: undefined }),
    );
    await expect(registry.images.resolve(`${registry.name}:one`, calm())).rejects.toMatchObject({
      code: 'image_not_found',
    });
  },
);

test('when a login of the deployment is good, then the operator’s is not used', async () => {
  const asked: unknown[] = [];
  await using registry = await openRegistry(givesTo('mine', asked), async () => ({
    logins: [login(registry.name, 'mine')],
    problem: undefined,
  }));
  await registry.images.resolve(`${registry.name}:one`, calm());
  expect(asked).not.toContain(basicOf('user'));
});

test('when a secret is missing, then a new revision says so, and one that ran needs none', async () => {
  const problem = new Problem('invalid', 'There is no Secret mine.', { code: 'secret_missing' });
  const missing: ReadPullLogins = async () => ({ logins: [], problem });
  await using registry = await openRegistry(undefined, missing);
  await expect(registry.images.resolve(`${registry.name}:one`, calm())).rejects.toBe(problem);
  const pinned = `${registry.name}@${digestOf(manifest)}`;
  expect(await registry.images.kindOf(pinned, calm())).toMatchObject({ kind: 'server' });
  await using closed = await openRegistry(givesTo('nobody'), missing);
  await expect(closed.images.kindOf(`${closed.name}@${digestOf(manifest)}`, calm())).rejects.toBe(problem);
});

test('when an address is of a private network, then it is not called', async () => {
  const images = new RegistryImages({
    registries: new RegistryClient({ fetch: createGuardedFetch(), loginAt: async () => undefined, own }),
    own,
    platform: 'linux/amd64',
    pullLogins: async () => ({ logins: [], problem: undefined }),
    log: silentLog,
  });
  await expect(images.resolve('127.0.0.1:1/team/agent:one', calm())).rejects.toMatchObject({
    code: 'host_not_allowed',
  });
});

test('when an image is another deployment’s of the own registry, then it is denied', async () => {
  await using registry = await openRegistry();
  const images = new RegistryImages({
    registries: new RegistryClient({ fetch: createGuardedFetch(), loginAt: async () => undefined, own }),
    own: { isAnothers: () => true },
    platform: 'linux/amd64',
    pullLogins: async () => ({ logins: [], problem: undefined }),
    log: silentLog,
  });
  await expect(images.resolve(`${registry.name}:one`, calm())).rejects.toMatchObject({
    code: 'image_denied',
  });
});
