import { ContainerEngine } from '@roadstead/containers';
import type { Assignment } from '@roadstead/contracts/control-plane';
import { Problem, silentLog } from '@roadstead/kit';
import { createAddressGuard } from '@roadstead/outbound';
import { useFixturePerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { SourceAway } from '../ports/source-away.ts';
import { FakeEngine } from '../testing/engine/fake-engine.ts';
import { OwnImages } from './own-images.ts';
import { Images } from './images.ts';
import { textOf } from './image-reference-rules.ts';
import { RegistryRefusal } from './registry-client.ts';

const ID = `sha256:${'1'.repeat(64)}`;
const DIGEST = `sha256:${'2'.repeat(64)}`;
const NAME = 'registry.test/agent:1';
const PINNED = `registry.test/agent@${DIGEST}`;
const MINE = '11111111-1111-4111-8111-111111111111';
const published = { id: ID, repository_digests: [PINNED], ports: [9000] };

const fixture = useFixturePerTest(() => FakeEngine.open('no program'));
const calm = () => new AbortController().signal;
const reader = () => ({ deployment_id: MINE, pull_secrets: [], signal: calm() });

function opened({ idle_ms = 60_000 } = {}) {
  const lines: string[] = [];
  const asked: string[] = [];
  const own_images = new OwnImages(async (deployment_id) => ({
    kind: 'token',
    username: 'oauth2accesstoken',
    token: `token of ${deployment_id}`,
  }));
  const configured: string[] = [];
  const images = new Images({
    registries: {
      configuration: async (reference, { digest }) => {
        const name = textOf(reference);
        configured.push(`${name} ${digest}`);
        if (name.startsWith('busy.test/')) throw new RegistryRefusal('429 TOOMANYREQUESTS');
        if (name.startsWith('docker.io/library/cafe')) return {};
        if (name.startsWith('away.test/')) throw new Problem('unavailable', 'It does not answer.');
        if (!name.startsWith('registry.test/agent')) throw new RegistryRefusal('404 BLOB_UNKNOWN');
        return {};
      },
    },
    engine: new ContainerEngine(fixture().socket),
    guard: createAddressGuard({
      resolve: async (host) => [host === 'registry.test' ? '93.184.215.14' : '10.0.0.1'],
    }),
    own: own_images,
    loginAt: async (registry) => {
      asked.push(registry);
      return undefined;
    },
    limit_ms: 60_000,
    idle_ms,
    log: silentLog,
  });
  const order = { ...reader(), onLine: (line: string) => void lines.push(line) };
  return {
    images,
    lines,
    asked,
    configured,
    own_images,
    resolve: (image_uri: string) => images.resolve(image_uri, order),
  };
}

test('when an image is named by its tag, then it is fetched, and pinned by its digest', async () => {
  fixture().registry.set(NAME, published);
  const { resolve, lines, asked, images } = opened();
  expect(await resolve(NAME)).toBe(PINNED);
  expect(lines).toEqual(['Pulling from team/agent', 'abc: pull complete', `the image is ${PINNED}`]);
  expect(asked).toEqual(['registry.test']);
  expect(await images.kindOf(PINNED, reader())).toEqual({ kind: 'server', port: 9000, check: undefined });
  // What is pinned and here is not fetched again.
  await images.ensure(PINNED, calm());
  expect(await resolve(PINNED)).toBe(PINNED);
  expect(fixture().pulled).toEqual([NAME]);
});

test('when a pinned image is gone, then it is fetched again by its digest', async () => {
  fixture().registry.set(PINNED, published);
  await opened().images.ensure(PINNED, calm());
  expect(fixture().pulled).toEqual([PINNED]);
  await expect(opened().images.ensure(`sha256:${'3'.repeat(64)}`, calm())).rejects.toMatchObject({
    code: 'image_gone',
  });
});

test('when an image was built on this machine alone, then it is taken, and a warning says so', async () => {
  fixture().images.set('agent:dev', { id: ID });
  fixture().registry.set('docker.io/library/agent:dev', 'pull access denied for agent');
  const { resolve, lines } = opened();
  expect(await resolve('agent:dev')).toBe(ID);
  expect(lines[0]).toMatch(/does not give out the image .* The one on this machine is used\.$/);
});

test('when an image of a registry that is away is here, then it is not taken for the newest', async () => {
  fixture().images.set(NAME, published);
  fixture().registry.set(NAME, 'dial tcp: lookup registry.test: no such host');
  await expect(opened().resolve(NAME)).rejects.toBeInstanceOf(SourceAway);
  fixture().registry.set(NAME, 'manifest unknown');
  expect(await opened().resolve(NAME)).toBe(PINNED);
});

test('when the engine is away, then that is nobody’s fault', async () => {
  const { resolve, images } = opened();
  await fixture()[Symbol.asyncDispose]();
  for (const asked of [resolve(NAME), images.ensure(PINNED, calm()), images.kindOf(PINNED, reader())])
    await expect(asked).rejects.toMatchObject({
      name: 'EngineAway',
      message: expect.not.stringMatching(/sock|tmp/),
    });
});

test('when a tag has moved, then the newer image is taken', async () => {
  fixture().images.set(NAME, { id: `sha256:${'9'.repeat(64)}` });
  fixture().registry.set(NAME, published);
  expect(await opened().resolve(NAME)).toBe(PINNED);
});

test.each([
  ['is not there', 'manifest unknown', 'image_not_found'],
  ['is private', 'unauthorized: authentication required', 'image_denied'],
])('when an image %s, then it is refused in words', async (_case, said, code) => {
  fixture().registry.set(NAME, said);
  await expect(opened().resolve(NAME)).rejects.toMatchObject({ name: 'Problem', kind: 'invalid', code });
});

test('when an image is for another processor, then it is refused with both', async () => {
  fixture().registry.set(NAME, { ...published, architecture: 'arm64' });
  await expect(opened().resolve(NAME)).rejects.toMatchObject({
    code: 'image_platform',
    message: `The image ${NAME} is for linux/arm64, and this machine is linux/amd64.`,
  });
});

test('when a registry hangs, or is away, then it is tried again later', async () => {
  fixture().registry.set(NAME, 'hangs');
  const { resolve } = opened({ idle_ms: 50 });
  await expect(resolve(NAME)).rejects.toMatchObject({
    name: 'SourceAway',
    problem: { code: 'registry_away' },
  });
  fixture().registry.set(NAME, 'dial tcp: lookup registry.test: no such host');
  await expect(resolve(NAME)).rejects.toBeInstanceOf(SourceAway);
});

test.each([
  'private.test/agent:1',
  '10.0.0.7:5000/agent:1',
  'localhost:5000/agent:1',
  '127.0.0.1:5000/agent:1',
])(
  'when a registry is one of a private network like %s, then its engine is not sent there',
  async (image_uri) => {
    await expect(opened().resolve(image_uri)).rejects.toMatchObject({ code: 'host_not_allowed' });
    expect(fixture().pulled).toEqual([]);
  },
);

test('when an image names graphs, then these are its kind, in its folder; wrong ones are refused', async () => {
  const environment = { LANGSERVE_GRAPHS: '{"agent": "/deps/agent/agent.py:graph"}' };
  fixture().images.set(ID, { id: ID, environment, folder: '/deps/agent' });
  expect(await opened().images.kindOf(ID, reader())).toMatchObject({
    kind: 'graphs',
    folder: '/deps/agent',
    config: { graphs: { agent: { path: '/deps/agent/agent.py:graph' } } },
  });
  fixture().images.set(ID, { id: ID, environment: { LANGSERVE_GRAPHS: '[' } });
  await expect(opened().images.kindOf(ID, reader())).rejects.toMatchObject({ code: 'image_config' });
});

test('when an image is of the platform’s registry, then a login of its deployment fetches it', async () => {
  const name = '127.0.0.1:4100/images/a/b/agent';
  fixture().registry.set(`${name}@${DIGEST}`, { ...published, repository_digests: [`${name}@${DIGEST}`] });
  const { images, own_images, resolve, asked } = opened();
  const source = { kind: 'image', image_uri: `${name}@${DIGEST}`, is_ours: true } as const;
  const learn = (deployment_id: string, removed = false) =>
    own_images.assign({
      deployment_id,
      removed,
      active: null,
      revision: { source, artifact: null },
    } as Assignment);
  learn(MINE);
  expect(await resolve(source.image_uri)).toBe(source.image_uri);
  fixture().images.clear();
  await images.ensure(source.image_uri, calm());
  const login = {
    username: 'oauth2accesstoken',
    password: `token of ${MINE}`,
    serveraddress: '127.0.0.1:4100',
  };
  expect(fixture().logins).toEqual([login, login]);
  expect(asked).toEqual([]);

  // Another deployment may name it, and gets it neither from there nor from the engine.
  learn('22222222-2222-4222-8222-222222222222');
  await expect(resolve(source.image_uri)).rejects.toMatchObject({ code: 'image_denied' });
  learn('22222222-2222-4222-8222-222222222222', true);
  fixture().images.clear();
  await expect(resolve(source.image_uri)).rejects.toMatchObject({ code: 'host_not_allowed' });
});

const OTHERS = '22222222-2222-4222-8222-222222222222';
const WORKSPACE = '33333333-3333-4333-8333-333333333333';
const pushed = (deployment_id: string) =>
  `platform.test/images/${WORKSPACE}/${deployment_id}/agent@${DIGEST}`;

test.each([
  ['its id', ID],
  ['a part of its id', ID.slice(7, 19)],
  ['how its id begins', '1'],
  ['its digest under another name', `registry.test/mine@${DIGEST}`],
  ['its own name', pushed(OTHERS)],
  ['its name at another address of the registry', pushed(OTHERS).replace('.test/', '.test:443/')],
])('when an image of another deployment is named by %s, then it is not given', async (_case, image_uri) => {
  fixture().images.set(image_uri, { id: ID, repository_digests: [pushed(OTHERS)] });
  await expect(opened().resolve(image_uri)).rejects.toMatchObject({ code: 'image_denied' });
});

const learn = (own_images: OwnImages, image_uri: string) =>
  own_images.assign({
    deployment_id: MINE,
    removed: false,
    active: null,
    revision: { source: { kind: 'image', image_uri, is_ours: true }, artifact: null },
  } as Assignment);

test.each([
  ['it was pushed for this one as well', [pushed(OTHERS), pushed(MINE)]],
  ['it came from a registry', [PINNED]],
  ['it was built on this machine', []],
])('when an image is named by its id and %s, then it is given', async (_case, repository_digests) => {
  fixture().images.set(ID, { id: ID, repository_digests });
  const { own_images, resolve, configured } = opened();
  learn(own_images, pushed(MINE));
  expect(await resolve(ID)).toBe(ID);
  expect(configured).toEqual([]);
});

test.each([
  ['another registry', 'registry.test/mine'],
  ['a name of its own there', `registry.test/x/${WORKSPACE}/${MINE}/agent`],
])(
  'when %s says that it has an image of another deployment, and has not, then it is not given',
  async (_case, path) => {
    // An engine that has the image does not ask for its bytes.
    const repository_digests = [pushed(OTHERS), `${path}@${DIGEST}`];
    fixture().registry.set(`${path}:1`, { id: ID, repository_digests });
    const { resolve, configured } = opened();
    await expect(resolve(`${path}:1`)).rejects.toMatchObject({ code: 'image_denied' });
    expect(configured).toEqual([`${path}:1 ${ID}`]);
    // Nor later, by what the engine knows by then.
    fixture().images.set(ID, { id: ID, repository_digests });
    for (const name of [ID, `${path}@${DIGEST}`])
      await expect(resolve(name)).rejects.toMatchObject({ code: 'image_denied' });
  },
);

test('when another deployment has pushed the same image, then a registry that has it gives it', async () => {
  fixture().registry.set(NAME, { id: ID, repository_digests: [pushed(OTHERS), PINNED] });
  expect(await opened().resolve(NAME)).toBe(PINNED);
  for (const [registry, code] of [
    ['away.test', 'registry_away'],
    ['busy.test', 'registry_busy'],
  ]) {
    const name = `${registry}/agent@${DIGEST}`;
    fixture().images.set(name, { id: ID, repository_digests: [pushed(OTHERS), name] });
    await expect(opened().resolve(name)).rejects.toMatchObject({ name: 'SourceAway', problem: { code } });
  }
});

test('when a registry has shown the image to a deployment once, then it is not asked again', async () => {
  fixture().registry.set(NAME, { id: ID, repository_digests: [pushed(OTHERS), PINNED] });
  const { resolve, configured } = opened();
  for (const name of [NAME, NAME, PINNED]) expect(await resolve(name)).toBe(PINNED);
  expect(configured).toHaveLength(1);
});

test('when a name is made of digits of ids, then it is no part of one that begins otherwise', async () => {
  const name = `docker.io/library/cafe@${DIGEST}`;
  const found = { id: ID, repository_digests: [pushed(OTHERS), name] };
  fixture().images.set('cafe', found);
  fixture().registry.set('docker.io/library/cafe:latest', found);
  expect(await opened().resolve('cafe')).toBe(name);
});

test('when an image was pushed to another registry, then it is fetched by the login there', async () => {
  const name = `registry.test/agents/${WORKSPACE}/${MINE}/support`;
  fixture().registry.set(`${name}:1`, { id: ID, repository_digests: [`${name}@${DIGEST}`] });
  const { resolve, asked } = opened();
  expect(await resolve(`${name}:1`)).toBe(`${name}@${DIGEST}`);
  expect(asked).toEqual(['registry.test']);
  await expect(resolve(`${name.replace(MINE, OTHERS)}:1`)).rejects.toMatchObject({ code: 'image_denied' });
});
