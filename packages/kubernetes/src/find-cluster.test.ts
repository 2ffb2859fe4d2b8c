import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { useFolderPerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { findCluster } from './find-cluster.ts';

const folder = useFolderPerTest('kubeconfig-');

async function fileOf(name: string, text: string): Promise<string> {
  const path = join(folder(), name);
  await writeFile(path, text);
  return path;
}

const base64 = (text: string) => Buffer.from(text).toString('base64');
const kubeconfig = (user: string, cluster = '') => `
apiVersion: v1
kind: Config
current-context: main
clusters: [{ name: c, cluster: { server: "https://k8s.test:6443/", certificate-authority-data: ${base64('CA')}${cluster} } }]
users: [{ name: u, user: { ${user} } }]
contexts: [{ name: main, context: { cluster: c, user: u, namespace: agents } }, { name: other, context: { cluster: c } }]
`;

test('when a kubeconfig is named, then its current context says where and as whom', async () => {
  await fileOf('cert.pem', 'CERT');
  const data = `client-certificate: cert.pem, client-key-data: ${base64('KEY')}`;
  const file = await fileOf('config', kubeconfig(data));
  const access = await findCluster({ kubeconfig: file, environment: { KUBECONFIG: '/elsewhere' } });
  expect(access).toMatchObject({ server: 'https://k8s.test:6443', namespace: 'agents', insecure: false });
  expect(await access.readCredential()).toEqual({ token: undefined, cert: 'CERT', key: 'KEY', ca: 'CA' });
});

test('when a token has a file, then it is read again each time', async () => {
  const token = await fileOf('token', 'first\n');
  const file = await fileOf('config', kubeconfig('tokenFile: token'));
  const { readCredential } = await findCluster({ environment: { KUBECONFIG: file } });
  expect((await readCredential()).token).toBe('first');
  await writeFile(token, 'second\n');
  expect((await readCredential()).token).toBe('second');
});

test('when several kubeconfigs are named, then the first that has a thing decides', async () => {
  const first = await fileOf('one', 'current-context: other\nusers: [{ name: u, user: { token: wins } }]');
  const second = await fileOf('two', kubeconfig('token: loses'));
  const environment = { KUBECONFIG: `${first}:${second}` };
  expect((await findCluster({ environment })).namespace).toBe('default');
  const access = await findCluster({ environment, context: 'main' });
  expect(await access.readCredential()).toMatchObject({ token: 'wins', ca: 'CA' });
});

test('when a program gives credentials, then its token holds until it expires', async () => {
  const given = { apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential' };
  const status = { token: 'given', expirationTimestamp: '2030-01-01T00:00:00Z' };
  const program = await fileOf(
    'give.mjs',
    `
    const { spec } = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
    if (process.env.FAIL) { console.error('secret'); process.exit(3); }
    const status = { ...${JSON.stringify(status)}, token: [process.env.WHO, spec.cluster.server].join(' ') };
    console.log(JSON.stringify({ ...${JSON.stringify(given)}, status }));`,
  );
  const exec = `exec: { apiVersion: ${given.apiVersion}, command: ${process.execPath}, args: [${program}], env: [{ name: WHO, value: me }] }`;
  const file = await fileOf('config', kubeconfig(exec));
  const { readCredential } = await findCluster({ kubeconfig: file, environment: {} });
  expect(await readCredential()).toMatchObject({
    token: 'me https://k8s.test:6443/',
    expires_at: Date.parse('2029-12-31T23:59:30Z'),
  });
  const failing = await findCluster({ kubeconfig: file, environment: { FAIL: '1' } });
  await expect(failing.readCredential()).rejects.toMatchObject({
    kind: 'unavailable',
    message: expect.not.stringContaining('secret'),
  });
});

test('when this runs in a pod, then its service account is used, and its token read again', async () => {
  const account = join(folder(), 'account');
  await mkdir(account);
  for (const [name, text] of Object.entries({ token: 'first', 'ca.crt': 'CA', namespace: 'agents' }))
    await writeFile(join(account, name), text);
  const environment = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };
  const access = await findCluster({ environment, account_folder: account });
  expect(access).toMatchObject({ server: 'https://[fd00::1]:443', namespace: 'agents' });
  await writeFile(join(account, 'token'), 'second');
  expect(await access.readCredential()).toEqual({ token: 'second', ca: 'CA' });
  await expect(findCluster({ environment, account_folder: join(folder(), 'none') })).rejects.toMatchObject({
    kind: 'invalid',
    hint: expect.stringContaining('automountServiceAccountToken'),
  });
});

test.each([
  ['token: [', /is no YAML/],
  [kubeconfig('token: 7'), /unfit users\.0\.user\.token/],
  [kubeconfig('username: me, password: secret'), /username, which is not supported/],
  [kubeconfig('token: t', ', proxy-url: "http://p"'), /proxy-url/],
  [kubeconfig('as: somebody'), /has as, which is not supported/],
  [kubeconfig('tokenFile: none').replace('user: u', 'user: nobody'), /no user "nobody"/],
  [kubeconfig('token: t').replace('https:', 'ftp:'), /unfit clusters\.0\.cluster\.server/],
  ['clusters: []', /no current-context/],
])('when a kubeconfig is unfit, then the field is named, and no value: %#', async (text, said) => {
  const file = await fileOf('config', text);
  const failure = await findCluster({ kubeconfig: file, environment: {} }).catch((error: unknown) => error);
  expect(failure).toMatchObject({ kind: 'invalid', message: expect.stringMatching(said) });
  expect(String(failure)).not.toContain('secret');
});

test('when there is no cluster, then that is said with what helps', async () => {
  await expect(findCluster({ environment: { HOME: folder() } })).rejects.toMatchObject({
    kind: 'unavailable',
    hint: expect.stringContaining('KUBECONFIG'),
  });
  const missing = findCluster({ kubeconfig: join(folder(), 'none'), environment: {} });
  await expect(missing).rejects.toThrow(/none can't be read \(ENOENT\)/);
});
