import { fileURLToPath } from 'node:url';
import { ResourceSpec } from '@roadstead/contracts/control-plane';
import { useFixturePerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { FakeEngine } from '../testing/engine/fake-engine.ts';
import { startFixture } from '../testing/data-plane-fixture.ts';
import type { FakeRevision } from '../testing/fake-deployment.ts';

/** Images from their names to their answers: a real data plane and its router, on an engine that is played. */

const program = fileURLToPath(new URL('../testing/engine/test-server.mjs', import.meta.url));
const HOST_IMAGE = 'test/host:1';
const wait = { interval: 20, timeout: 60_000 };
const digest = (letter: string) => `sha256:${letter.repeat(64)}`;

/** An image of a registry that may be asked, as it is published under a tag. */
const published = (letter: string) => ({
  id: digest(letter),
  repository_digests: [`localhost:5000/agent@${digest(letter)}`],
  ports: [8000],
});

async function open() {
  await using stack = new AsyncDisposableStack();
  const engine = stack.use(await FakeEngine.open(program));
  engine.images.set(HOST_IMAGE, { id: digest('0') });
  engine.registry.set('localhost:5000/agent:1', published('1'));
  engine.registry.set('localhost:5000/agent:2', published('2'));
  const plane = stack.use(await startFixture({ engine: { socket: engine.socket, host_image: HOST_IMAGE } }));
  const opened = stack.move();
  return { engine, ...plane, control: plane.control, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

const fixture = useFixturePerTest(open);
const call = (path: string) => fixture().call(`/agents/mine${path}`);

async function deploy(image: string | FakeRevision): Promise<{ id: string; revision: FakeRevision }> {
  const { control } = fixture();
  const revision = control.revisionOf(typeof image === 'string' ? { image } : image);
  const id = control.desire('mine', { revision });
  await expect.poll(() => control.storyOf(revision.id).at(-1), wait).toMatch(/done|failed/);
  return { id, revision };
}

test('when an image is deployed, then it serves by its digest, and a new life fetches nothing', async () => {
  const { control } = fixture();
  control.environment = { SECRET: 'canary' };
  const { id, revision } = await deploy('localhost:5000/agent:1');
  expect(control.storyOf(revision.id)).toEqual(['source', 'start', 'health', 'switch', 'switch done']);
  expect(control.activeOf(id)).toBe(revision.id);
  expect(revision.artifact_image).toBe(`localhost:5000/agent@${digest('1')}`);
  expect(control.capabilities).toContain('image');
  expect((await call('/hello')).body).toMatchObject({ url: '/hello', secret: 'canary' });
  await expect.poll(() => control.linesOf(revision.id, 'server'), wait).toContain('answers GET /hello');
  const { pulled } = fixture().engine;
  await fixture().restart();
  await expect.poll(async () => (await call('/hello')).status, wait).toBe(200);
  expect(pulled).toEqual(['localhost:5000/agent:1']);
});

test('when fields of a resource_spec have no effect, then the listener reports which, and why', async () => {
  const { control } = fixture();
  const resources = ResourceSpec.parse({ cache_cpu: 1, db_storage_gi: 5, memory_limit_mb: 512 });
  const revision = { ...control.revisionOf({ image: 'localhost:5000/agent:1' }), resources };
  control.desire('mine', { revision });
  await expect.poll(() => control.storyOf(revision.id).at(-1), wait).toBe('switch done');
  expect(control.observations.at(-1)?.notes).toEqual([
    expect.stringContaining('cache_cpu. A deployment has no cache'),
    expect.stringContaining('db_storage_gi. The image is a server of HTTP'),
  ]);
});

test('when a revision is gone back to, then its own image serves, whatever became of its tag', async () => {
  const { engine, control } = fixture();
  const { revision: first } = await deploy('localhost:5000/agent:1');
  const { id } = await deploy('localhost:5000/agent:2');
  engine.registry.set('localhost:5000/agent:1', published('3'));
  const { revision: back } = await deploy(first);
  expect(control.activeOf(id)).toBe(back.id);
  expect(control.storyOf(back.id)).toEqual(['start', 'health', 'switch', 'switch done']);
  expect(engine.containers.map((name) => engine.madeOf(name)?.Image)).toContain(
    `localhost:5000/agent@${digest('1')}`,
  );
});

test('when an image does not start, then its revision says why, and what served goes on serving', async () => {
  const { engine, control } = fixture();
  const { id, revision: first } = await deploy('localhost:5000/agent:1');
  control.environment = { BEHAVES: 'exits' };
  const { revision: broken } = await deploy('localhost:5000/agent:2');
  const { revision: absent } = await deploy('localhost:5000/agent:9');
  const reasonOf = ({ id: revision_id }: FakeRevision) =>
    control.observations.findLast((one) => one.revision_id === revision_id && one.outcome === 'failed')
      ?.reason;
  expect(reasonOf(broken)).toMatchObject({ phase: 'start', code: 'server_ended' });
  expect(reasonOf(broken)?.log_tail).toContain('this server ends at once');
  expect(reasonOf(absent)).toMatchObject({ phase: 'source', code: 'image_not_found' });
  expect(control.activeOf(id)).toBe(first.id);
  expect((await call('/')).status).toBe(200);
  await expect.poll(() => engine.containers.length, wait).toBe(1);
});

test('when an image holds graphs and what serves does not, then it is refused in words', async () => {
  const { engine, control } = fixture();
  const { id, revision: first } = await deploy('localhost:5000/agent:1');
  engine.registry.set('localhost:5000/agent:2', {
    ...published('2'),
    environment: { LANGSERVE_GRAPHS: '{"agent": "./agent.ts:graph"}' },
  });
  const { revision: other } = await deploy('localhost:5000/agent:2');
  const failed = control.observations.find((one) => one.revision_id === other.id && one.outcome === 'failed');
  expect(failed?.reason).toMatchObject({ code: 'other_kind' });
  expect(control.activeOf(id)).toBe(first.id);
});

test('when an image was pushed to the platform, then a credential fetches it, now and again', async () => {
  const { control, engine } = fixture();
  control.source_credentials = { kind: 'token', username: 'oauth2accesstoken', token: 'canary-of-a-pull' };
  const name = `127.0.0.1:1/images/a/b/agent@${digest('4')}`;
  engine.registry.set(name, { ...published('4'), repository_digests: [name] });
  const { id, revision } = await deploy(control.revisionOf({ image: name, is_ours: true }));
  expect(control.activeOf(id)).toBe(revision.id);
  engine.images.clear();
  engine.images.set(HOST_IMAGE, { id: digest('0') });
  await fixture().restart();
  await expect.poll(async () => (await call('/hello')).status, wait).toBe(200);
  const login = {
    username: 'oauth2accesstoken',
    password: 'canary-of-a-pull',
    serveraddress: '127.0.0.1:1',
  };
  expect(engine.logins.length).toBeGreaterThan(1);
  expect(new Set(engine.logins.map((one) => JSON.stringify(one)))).toEqual(new Set([JSON.stringify(login)]));
  expect(JSON.stringify([control.observations, control.linesOf(revision.id, 'build')])).not.toContain(
    'canary',
  );
});

test('when a deployment of an image is removed, then no container of it is left', async () => {
  const { engine, control } = fixture();
  await deploy('localhost:5000/agent:1');
  control.desire('mine', { removed: true, purge: true });
  await expect.poll(() => control.observations.at(-1)?.revision_id, wait).toBeNull();
  expect(engine.containers).toEqual([]);
});
