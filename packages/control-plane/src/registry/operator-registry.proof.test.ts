import { execFile, spawn } from 'node:child_process';
import { createHash, createPrivateKey, randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { listen, toNodeListener } from '@roadstead/http';
import { freePort } from '@roadstead/testing/processes';
import { useFolderPerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { WORKSPACE } from '../testing/fixture.ts';
import { startWithRegistry } from '../testing/operator-registry.ts';
import { bytesOf, manifestOf, sha256 } from '../testing/registry-client.ts';

/** Pushes to the registry that most operators have, `distribution`, by what the platform gives out for it. */

const run = promisify(execFile);
const folder = useFolderPerTest('distribution-');
const PROGRAM = 'docker-registry';
const isHere = await run(PROGRAM, ['--version']).then(
  () => true,
  () => false,
);
if (!isHere) process.stderr.write(`The operator's registry is NOT TESTED: there is no ${PROGRAM}.\n`);

async function openRegistry(auth: object) {
  const port = await freePort();
  const config = join(folder(), 'registry.json');
  const storage = { filesystem: { rootdirectory: join(folder(), 'store') } };
  const http = { addr: `127.0.0.1:${port}`, secret: 'for this test' };
  await writeFile(config, JSON.stringify({ version: 0.1, storage, http, auth }));
  const child = spawn(PROGRAM, ['serve', config], { stdio: 'ignore' });
  const registry = `127.0.0.1:${port}`;
  await expect
    .poll(
      () =>
        fetch(`http://${registry}/v2/`).then(
          ({ status }) => status,
          () => 0,
        ),
      { timeout: 20_000 },
    )
    .toBe(401);
  return {
    registry,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

/** The statuses of a push by a client that has this credential: of its first layer, and of its manifest. */
async function push(repository: string, authorization: string): Promise<number[]> {
  const slash = repository.indexOf('/');
  const base = `http://${repository.slice(0, slash)}/v2/${repository.slice(slash + 1)}`;
  const headers = { authorization };
  const statuses: number[] = [];
  for (const bytes of ['{}', 'layer'].map(bytesOf)) {
    const begun = await fetch(`${base}/blobs/uploads/`, { method: 'POST', headers });
    if (begun.status !== 202) return [begun.status];
    const place = new URL(begun.headers.get('location') ?? '', base);
    place.searchParams.set('digest', sha256(bytes));
    statuses.push((await fetch(place, { method: 'PUT', headers, body: bytes })).status);
  }
  const manifest = manifestOf(['layer']);
  const { mediaType } = manifest;
  const body = JSON.stringify(manifest);
  const put = { method: 'PUT', headers: { ...headers, 'content-type': mediaType }, body };
  statuses.push((await fetch(`${base}/manifests/1`, put)).status);
  return statuses;
}

// The password is `a password`.
const HTPASSWD = 'pusher:$2y$05$abcdefghijklmnopqrstuu2sM.EEHj4jPcCa5rwqJGg1PNBllkZXy\n';

test.skipIf(!isHere)('when the registry has passwords, then what is given out pushes there', async () => {
  const path = join(folder(), 'htpasswd');
  await writeFile(path, HTPASSWD);
  await using server = await openRegistry({ htpasswd: { realm: 'images', path } });
  const { fixture, id } = await startWithRegistry({
    registry: server.registry,
    login: 'pusher:a password',
    folder: folder(),
    share_login: true,
  });
  await using _closed = fixture;
  const params = { deployment_id: id };
  const { kind, username, token, registry_url } = await fixture.client().createPushToken({ params });
  expect(kind).toBe('password');
  expect(await push(`${registry_url}/support`, `Basic ${btoa(`${username}:${token}`)}`)).toEqual([
    201, 201, 201,
  ]);
  const image_uri = `${registry_url}/support:1`;
  await fixture.client().patchDeployment({ params, body: { source_revision_config: { image_uri } } });
  const news = await fixture.listener().next(id, ({ revision }) => revision !== null);
  expect(news.revision?.source).toMatchObject({ image_uri });
});

/** A service of tokens, as that registry trusts it: what is asked for is given, for a minute. */
async function openTokens() {
  const at = (name: string) => join(folder(), name);
  const options = '-x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=tokens';
  const files = ['-keyout', at('key.pem'), '-out', at('certificate.pem')];
  await run('openssl', ['req', ...options.split(' '), ...files]);
  const key = createPrivateKey(await readFile(at('key.pem')));
  const certificate = await readFile(at('certificate.pem'), 'utf8');
  const x5c = [certificate.replaceAll(/-----[^-]+-----|\s/g, '')];
  const part = (json: object) => Buffer.from(JSON.stringify(json)).toString('base64url');
  const tokenFor = (scopes: readonly string[]) => {
    const access = scopes.map((scope) => {
      const [type, name, actions = ''] = scope.split(':');
      return { type, name, actions: actions.split(',') };
    });
    const now = Math.floor(Date.now() / 1000);
    const times = { nbf: now - 5, iat: now, exp: now + 60 };
    const claims = { iss: 'tokens', sub: 'pusher', aud: 'images', ...times, jti: randomUUID(), access };
    const signed = `${part({ typ: 'JWT', alg: 'ES256', x5c })}.${part(claims)}`;
    const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
    return `${signed}.${signature.toString('base64url')}`;
  };
  const served = await listen(
    toNodeListener(async ({ url }) =>
      Response.json({ token: tokenFor(new URL(url).searchParams.getAll('scope')) }),
    ),
    { host: '127.0.0.1', port: 0 },
  );
  const realm = `http://127.0.0.1:${served.port}/token`;
  const auth = {
    token: { realm, service: 'images', issuer: 'tokens', rootcertbundle: at('certificate.pem') },
  };
  return { auth, [Symbol.asyncDispose]: () => served[Symbol.asyncDispose]() };
}

test.skipIf(!isHere)(
  'when it has tokens, then one pushes the images of its deployment, and no other',
  async () => {
    await using tokens = await openTokens();
    await using server = await openRegistry(tokens.auth);
    const { fixture, id } = await startWithRegistry({
      registry: server.registry,
      login: 'pusher:a password',
      folder: folder(),
    });
    await using _closed = fixture;
    const params = { deployment_id: id };
    const { kind, token, registry_url } = await fixture.client().createPushToken({ params });
    expect(kind).toBe('bearer');
    expect(await push(`${registry_url}/support`, `Bearer ${token}`)).toEqual([201, 201, 201]);
    const other = createHash('sha256').update(id).digest('hex').slice(0, 12);
    for (const repository of [
      `${registry_url}/${other}`,
      `${server.registry}/agents/${WORKSPACE}/${other}/support`,
    ])
      expect(await push(repository, `Bearer ${token}`)).toEqual([401]);
  },
);
