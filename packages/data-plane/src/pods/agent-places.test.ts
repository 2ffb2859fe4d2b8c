import { createLog } from '@roadstead/kit';
import { FakeApiServer } from '@roadstead/kubernetes/testing';
import { useFixturePerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { makeNamespaces } from '../testing/cluster/open-pods.ts';
import { AgentPlaces } from './agent-places.ts';
import { readPullLogins } from './pull-logins.ts';

async function open() {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await FakeApiServer.open());
  const logged: string[] = [];
  const log = createLog({ level: 'warn', write: (line) => logged.push(line) });
  const options = { access: server.access, namespaces: ['one', 'two'], owner: 'listener', log };
  const places = stack.use(new AgentPlaces(options));
  await makeNamespaces(server.access, options.namespaces);
  for (const [id, namespace] of [
    ['named', 'two'],
    ['unnamed', null],
    ['elsewhere', 'three'],
  ] as const)
    places.assign({ deployment_id: id, namespace, removed: false });
  const opened = stack.move();
  return { server, places, logged, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}
const fixture = useFixturePerTest(open);
const namespaceOf = (deployment_id: string) => fixture().places.of(deployment_id).pods.cluster.namespace;

test('when a deployment names a namespace, then it is there; without a name, it is in the first', () => {
  expect([namespaceOf('named'), namespaceOf('unnamed')]).toEqual(['two', 'one']);
});

test('when its assignment names another one later, then a deployment is there from then on', () => {
  const { places } = fixture();
  places.assign({ deployment_id: 'named', namespace: 'one', removed: false });
  expect(namespaceOf('named')).toBe('one');
  places.assign({ deployment_id: 'elsewhere', namespace: 'two', removed: false });
  expect(namespaceOf('elsewhere')).toBe('two');
  // Nothing is said of one that is not known yet.
  places.assign({ deployment_id: 'named', namespace: null, removed: false });
  expect(namespaceOf('named')).toBe('one');
});

test('when a deployment is removed and restored, then what was known of it counts no more', () => {
  const { places } = fixture();
  const given = { deployment_id: 'given', is_default_namespace: true };
  places.assign({ ...given, namespace: 'three', removed: false });
  places.checkServed('given');
  places.assign({ ...given, namespace: 'three', removed: true });
  places.assign({ ...given, namespace: 'three', removed: false });
  expect(() => namespaceOf('given')).toThrow('no agents in the namespace three');
});

test('when what was moved is given another namespace, then it is there', () => {
  const { places } = fixture();
  const given = { deployment_id: 'given', is_default_namespace: true, removed: false };
  places.assign({ ...given, namespace: 'three' });
  places.checkServed('given');
  places.assign({ ...given, namespace: 'three' });
  expect(namespaceOf('given')).toBe('one');
  places.assign({ ...given, namespace: 'two' });
  expect(namespaceOf('given')).toBe('two');
});

test('when a namespace is not served, then the refusal says which are', () => {
  expect(() => namespaceOf('elsewhere')).toThrow(
    expect.objectContaining({
      kind: 'invalid',
      code: 'namespace_not_served',
      message: expect.stringContaining('no agents in the namespace three'),
      hint: expect.stringContaining('one, two'),
    }),
  );
});

test('when a given namespace is served no more, then what served is restored in the first', () => {
  const { places, logged } = fixture();
  places.assign({ deployment_id: 'given', namespace: 'three', is_default_namespace: true, removed: false });
  expect(() => namespaceOf('given')).toThrow('no agents in the namespace three');
  for (const id of ['given', 'given', 'named', 'unnamed']) places.checkServed(id);
  expect(namespaceOf('given')).toBe('one');
  expect(namespaceOf('named')).toBe('two');
  expect(logged).toEqual([expect.stringMatching(/"level":"warn".*served no more.*"namespace":"three"/)]);
  // What is new is refused until its namespace is served again, and so is what the deployment itself names.
  expect(() => places.check('given')).toThrow('no agents in the namespace three');
  expect(() => places.checkServed('elsewhere')).toThrow('no agents in the namespace three');
});

const read = (deployment_id: string, ...pull_secrets: string[]) =>
  readPullLogins((id) => fixture().places.of(id).pods.cluster)({
    deployment_id,
    pull_secrets,
    signal: new AbortController().signal,
  });
const secret = (type: string, auths: object) => ({
  metadata: { name: 'login' },
  type,
  data: { '.dockerconfigjson': Buffer.from(JSON.stringify({ auths })).toString('base64') },
});
const LOGIN = { username: 'me', password: 'secret' };

test('when a deployment names a secret, then the logins are read in its namespace', async () => {
  const { cluster } = fixture().places.of('named').pods;
  await cluster.create('secrets', secret('kubernetes.io/dockerconfigjson', { 'registry.test': LOGIN }));
  expect(await read('named', 'login')).toEqual({
    logins: [{ at: 'registry.test', ...LOGIN }],
    problem: undefined,
  });
  expect(await read('unnamed')).toEqual({ logins: [], problem: undefined });
  const { problem } = await read('unnamed', 'login');
  expect(problem).toMatchObject({
    code: 'secret_missing',
    message: 'The namespace one has no Secret login, which image_pull_secrets names.',
  });
});

test('when a secret holds no logins, then that is said, and the others are used', async () => {
  const { cluster } = fixture().places.of('named').pods;
  await cluster.create('secrets', secret('Opaque', {}));
  const other = secret('kubernetes.io/dockerconfigjson', { 'registry.test': LOGIN });
  await cluster.create('secrets', { ...other, metadata: { name: 'other' } });
  const { logins, problem } = await read('named', 'login', 'other');
  expect(logins).toHaveLength(1);
  expect(problem).toMatchObject({ code: 'secret_unfit' });
});
