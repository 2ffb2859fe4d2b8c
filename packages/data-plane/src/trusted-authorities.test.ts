import { once } from 'node:events';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { promisify } from 'node:util';
import { useFixturePerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { openOperatorNpm } from './builders/operator-npm.ts';
import { withAuthorities } from './trusted-authorities.ts';

/** A company whose servers have certificates of its own. */
async function open() {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'authorities-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const at = (name: string) => join(folder, name);
  const files = ['-keyout', at('key.pem'), '-out', at('ca.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  await promisify(execFile)('openssl', ['req', '-x509', ...curve, ...files, ...subject]);
  const server = createServer(
    { key: await readFile(at('key.pem')), cert: await readFile(at('ca.pem')) },
    (_request, response) => response.end('the company'),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stack.defer(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const opened = stack.move();
  return {
    at,
    url: `https://localhost:${port}`,
    trusting: (environment: Readonly<Record<string, string | undefined>> = {}, ca_bundle = at('ca.pem')) =>
      withAuthorities(environment, { ca_bundle, data_folder: at('data') }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

const fixture = useFixturePerTest(open);
const trusted = () => fixture().at('data/authorities/trusted.pem');

test('when an operator names authorities, then they are trusted beside those that are known', async () => {
  const { trusting, at } = fixture();
  const environment = await trusting({ PATH: '/bin', NODE_EXTRA_CA_CERTS: '/elsewhere' });
  expect(environment).toEqual({
    PATH: '/bin',
    NODE_EXTRA_CA_CERTS: trusted(),
    GIT_SSL_CAINFO: trusted(),
    PIP_CERT: trusted(),
    SSL_CERT_FILE: trusted(),
  });
  const text = await readFile(trusted(), 'utf8');
  expect(text).toContain(await readFile(at('ca.pem'), 'utf8'));
  expect(text.match(/BEGIN CERTIFICATE/g)).toHaveLength(rootCertificates.length + 1);
});

test('when a build runs, then its tools get the file, and may read it', async () => {
  const environment = await fixture().trusting({ PATH: process.env['PATH'], HOME: fixture().at('home') });
  const { variables, paths } = await openOperatorNpm(environment).read();
  expect(variables).toMatchObject({
    NODE_EXTRA_CA_CERTS: trusted(),
    GIT_SSL_CAINFO: trusted(),
    SSL_CERT_FILE: trusted(),
  });
  expect(paths).toContain(trusted());
});

test.each([
  [
    'Node',
    process.execPath,
    (url: string) => ['-e', `fetch('${url}').then((r) => r.text()).then(console.log)`],
    /the company/,
  ],
  // It finds no refs there.
  ['git', 'git', (url: string) => ['ls-remote', `${url}/a.git`], /^$/],
])(
  'when %s calls a server of the company, then it trusts that',
  async (_name, program, argsFor, trusted_says) => {
    const { trusting, url } = fixture();
    const run = async (environment: Readonly<Record<string, string | undefined>>) => {
      const env = { ...environment, GIT_TERMINAL_PROMPT: '0' };
      const ended = promisify(execFile)(program, argsFor(url), { env, timeout: 20_000 });
      return await ended.then(
        ({ stdout }) => stdout,
        (error: Error & { stderr: string }) => error.stderr,
      );
    };
    const usual = { PATH: process.env['PATH'] };
    expect(await run(usual)).toMatch(/certificate/i);
    expect(await run(await trusting(usual))).toMatch(trusted_says);
  },
);

test.each([
  ['is not there', 'none.pem', /can’t be read/],
  ['has none', 'empty.pem', /has no certificate/],
])(
  'when the file of authorities %s, then that is refused by the name of its setting',
  async (_case, name, words) => {
    const { at, trusting } = fixture();
    await writeFile(at('empty.pem'), 'nothing\n');
    const refused = trusting({}, at(name));
    await expect(refused).rejects.toMatchObject({ kind: 'invalid' });
    await expect(refused).rejects.toThrow(words);
    await expect(refused).rejects.toThrow('ROADSTEAD_CA_BUNDLE');
  },
);
