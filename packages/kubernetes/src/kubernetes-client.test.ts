import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describeError } from '@roadstead/kit';
import { useFixture, useFixturePerTest, useFolder } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { KubernetesClient } from './kubernetes-client.ts';
import { FakeApiServer, FakeRefusal } from './testing/index.ts';

const server = useFixturePerTest(() => FakeApiServer.open());
const client = useFixturePerTest(async () => new KubernetesClient(server().access));
const folder = useFolder('kubernetes-');
/** The certificate of the servers, for 127.0.0.1, and of a client: it signs itself. */
const certificate = useFixture(async () => {
  const [key, cert] = [join(folder(), 'key.pem'), join(folder(), 'cert.pem')];
  const subject = ['-subj', '/CN=roadstead', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const made = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  await promisify(execFile)('openssl', ['req', ...made, '-keyout', key, '-out', cert, ...subject]);
  return { key: await readFile(key, 'utf8'), cert: await readFile(cert, 'utf8') };
});

const name = 'x';

test('when a credential is refused, then it is read again, once in a while', async () => {
  let read = 0;
  const readCredential = async () => ({ token: `token-${(read += 1)}` });
  await using one = new KubernetesClient({ ...server().access, readCredential });
  server().tokens.clear();
  server().tokens.add('token-2');
  expect(await one.find('pods', { name })).toBeUndefined();
  server().tokens.clear();
  await expect(one.find('pods', { name })).rejects.toMatchObject({ status: 401, reason: 'Unauthorized' });
  expect(read).toBe(2);
});

test('when a token rotates, then the next one is used', async () => {
  let token = 'first';
  let expires_at = 0;
  const readCredential = async () => ({ token, expires_at });
  await using one = new KubernetesClient({ ...server().access, readCredential });
  for (token of ['first', 'second']) {
    server().tokens.clear();
    server().tokens.add(token);
    expect(await one.find('pods', { name })).toBeUndefined();
  }
  expires_at = Infinity;
  expect(await one.find('pods', { name })).toBeUndefined();
});

test.each([
  [429, 'TooManyRequests'],
  [500, 'InternalError'],
  [503, 'ServiceUnavailable'],
  [504, 'Timeout'],
])('when it answers %i, then it is away, and why is the cause', async (status, reason) => {
  const does = new FakeRefusal(status, reason, { message: 'not now', retry_after_s: 7 });
  server().faults.push({ on: /configmaps/, does });
  await expect(client().create('configmaps', { metadata: { name } })).rejects.toMatchObject({
    kind: 'unavailable',
    code: 'cluster_away',
    retry_after_s: 7,
    message: expect.stringContaining(`${status} ${reason}`),
    cause: expect.objectContaining({ name: 'KubernetesRefusal', status, message: 'not now' }),
  });
  expect(await client().create('configmaps', { metadata: { name } })).toBeDefined();
});

test('when the connection breaks off, or nobody listens, then the cluster is away', async () => {
  server().faults.push({ on: /configmaps/, does: 'cut' });
  await expect(client().find('configmaps', { name })).rejects.toMatchObject({ code: 'cluster_away' });
  await using gone = new KubernetesClient({ ...server().access, server: 'http://127.0.0.1:1' });
  await expect(gone.find('configmaps', { name })).rejects.toMatchObject({
    code: 'cluster_away',
    message: expect.stringContaining('ECONNREFUSED'),
  });
});

test('when somebody gives up on a server that hangs, then the call ends with their reason', async () => {
  server().faults.push({ on: /configmaps/, does: 'hang' });
  const stop = new AbortController();
  const listed = client().list('configmaps', { signal: stop.signal });
  await expect.poll(() => server().requests).toHaveLength(1);
  stop.abort(new Error('given up'));
  await expect(listed).rejects.toThrow('given up');
});

test('when the pages of a list are forgotten before the last, then it begins anew', async () => {
  const labels = { group: 'all' };
  const names = Array.from({ length: 101 }, (_, at) => `c-${at}`);
  await Promise.all(names.map((each) => client().create('configmaps', { metadata: { name: each, labels } })));
  const gone = new FakeRefusal(410, 'Expired', { message: 'The provided continue parameter is too old' });
  server().faults.push({ on: /continue=/, does: gone });
  expect((await client().list('configmaps', { labels })).items).toHaveLength(101);
  server().faults.push({ on: /continue=/, does: gone, times: 9 });
  await expect(client().list('configmaps')).rejects.toMatchObject({ status: 410 });
});

test('when what answers is no API server, then that is said, without what it answers', async () => {
  const other = createServer((_request, response) => response.end('<secret>'));
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as AddressInfo;
  await using one = new KubernetesClient({ ...server().access, server: `http://127.0.0.1:${port}` });
  const failure = await one.find('configmaps', { name }).catch((error: unknown) => error);
  expect(failure).toMatchObject({ kind: 'unavailable' });
  expect(describeError(failure)).not.toContain('<secret>');
  other.closeAllConnections();
  await other[Symbol.asyncDispose]();
});

test('when certificates of both sides are asked for, then they are shown and trusted', async () => {
  const { key, cert } = certificate();
  await using secure = await FakeApiServer.open({
    key,
    cert,
    ca: cert,
    requestCert: true,
    rejectUnauthorized: true,
  });
  const token = 'secret-of-a-token';
  secure.tokens.add(token);
  const at = (credential: object) =>
    new KubernetesClient({ ...secure.access, readCredential: async () => ({ token, ...credential }) });
  await using known = at({ ca: cert, cert, key });
  expect(await known.find('pods', { name })).toBeUndefined();
  await using strange = at({ ca: cert });
  await using trusting = at({ cert, key });
  for (const one of [strange, trusting]) {
    const failure = await one.find('pods', { name }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'cluster_away' });
    expect(describeError(failure)).not.toMatch(/BEGIN|secret-of-a-token/);
  }
});

test('when who owns which field is answered, then it is left out', async () => {
  const made = await client().apply('configmaps', { metadata: { name }, data: { a: '1' } });
  expect(server().store.find('configmaps', `default/${name}`)?.metadata['managedFields']).toBeDefined();
  expect(made.metadata).not.toHaveProperty('managedFields');
});
