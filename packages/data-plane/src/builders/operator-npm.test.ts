import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { useFolderPerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { sourceArchive } from '../testing/projects.ts';
import { openTestBuilder } from '../testing/test-builder.ts';
import { openOperatorNpm } from './operator-npm.ts';
import { secretsOf, settingsOfEnvironment, settingsOfFile } from './operator-npm-rules.ts';

const TOKEN = 'npm_canary-token-81c2';

const folder = useFolderPerTest('npmrc-');

test.each([
  ['registry=https://mirror.test/', 'registry', 'https://mirror.test/'],
  [' @corp:registry = https://mirror.test/corp/ ', '@corp:registry', 'https://mirror.test/corp/'],
  ['//mirror.test/:_authToken=${TOKEN}', '//mirror.test/:_authToken', 'secret'],
  ['//mirror.test/:_authToken=${ABSENT?}', '//mirror.test/:_authToken', ''],
  ['//mirror.test/:_password=YWI=', '//mirror.test/:_password', 'YWI='],
  ['cafile=~/ca.pem', 'cafile', '/home/op/ca.pem'],
  ['ca[]="-----BEGIN"', 'ca[]', '"-----BEGIN"'],
  ['fetch-retries=5', 'fetch-retries', '5'],
])('when a file has the line %s, then it is a setting of the operator’s npm', (line, key, value) => {
  const environment = { HOME: '/home/op', TOKEN: 'secret' };
  expect(settingsOfFile(`; comment\n${line}\r\n`, environment)).toEqual([{ key, value }]);
});

test.each([
  '# registry=https://x.test',
  'ignore-scripts=true',
  'prefix=/opt',
  'userconfig=/x',
  'script-shell=/bin/zsh',
  '',
])('when a file has the line %j, then it is no setting of the operator’s npm', (line) => {
  expect(settingsOfFile(line, {})).toEqual([]);
});

test.each([
  ['npm_config_registry', 'registry'],
  ['NPM_CONFIG_HTTPS_PROXY', 'https-proxy'],
  ['npm_config_strict_ssl', 'strict-ssl'],
  ['npm_config_@corp:registry', '@corp:registry'],
  ['npm_config_//mirror.test/:_authToken', '//mirror.test/:_authToken'],
])('when the environment has %s, then it is a setting of the operator’s npm', (name, key) => {
  expect(settingsOfEnvironment({ [name]: 'value', npm_config_prefix: '/opt', PATH: '/bin' })).toEqual([
    { key, value: 'value' },
  ]);
});

test('when the operator has npm settings, then every manager gets them, the machine’s file first', async () => {
  const globalconfig = join(folder(), 'npmrc');
  await writeFile(globalconfig, `registry=https://machine.test/\ncafile=/etc/mirror.pem\n`);
  await writeFile(
    join(folder(), '.npmrc'),
    `registry=https://mirror.test/\n//mirror.test/:_authToken=${TOKEN}\n`,
  );
  const operator = openOperatorNpm({ HOME: folder(), npm_config_globalconfig: globalconfig });
  const { files, variables, paths } = await operator.read();
  expect(JSON.parse(files['.yarnrc.yml'] ?? '')).toEqual({
    npmRegistryServer: 'https://mirror.test/',
    npmRegistries: { '//mirror.test': { npmAlwaysAuth: true, npmAuthToken: TOKEN } },
  });
  expect(files['.npmrc']).toMatch(/registry=https:\/\/machine\.test\/\n.*registry=https:\/\/mirror\.test\//s);
  expect(variables).toMatchObject({ NODE_EXTRA_CA_CERTS: '/etc/mirror.pem' });
  expect(paths).toContain('/etc/mirror.pem');
});

test('when a password is sent in clear, then no form of it stands in a log', () => {
  const settings = settingsOfFile('//mirror.test/:username=me\n//mirror.test/:_password=c2VjcmV0', {});
  expect(Object.values(secretsOf(settings, {}))).toEqual(['c2VjcmV0', 'secret']);
});

/** A company's registry: it has no packages, and records its requests. */
async function registry() {
  const asked: { readonly url: string; readonly headers: IncomingHttpHeaders }[] = [];
  const server = createServer((request, response) => {
    asked.push({ url: request.url ?? '', headers: request.headers });
    response.writeHead(404).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}/npm/`;
  return { asked, host, [Symbol.asyncDispose]: async () => void server.close() };
}

test('when a build asks the operator’s registry, then the token is in no variable and no log', async () => {
  await using mirror = await registry();
  await writeFile(
    join(folder(), '.npmrc'),
    `registry=http://${mirror.host}\n//${mirror.host}:_authToken=\${MIRROR_TOKEN}\n`,
  );
  const { build } = await openTestBuilder(folder(), {
    PATH: process.env['PATH'],
    HOME: folder(),
    MIRROR_TOKEN: TOKEN,
    npm_config_fetch_retries: '0',
    HTTPS_PROXY: 'http://someone:proxy-password@proxy.test:3128',
    NO_PROXY: '127.0.0.1',
  });
  const { built, lines } = build(await sourceArchive('works'), {
    install_command: 'env; cat ~/.npmrc; npm install --fetch-retries=0 no-such-package',
  });
  await expect(built).rejects.toThrow(/exit code 1/);
  expect(mirror.asked[0]).toMatchObject({
    url: '/npm/no-such-package',
    headers: { authorization: `Bearer ${TOKEN}` },
  });
  const log = lines.join('\n');
  expect(log).toContain(`registry=http://${mirror.host}`);
  expect(log).toContain(':_authToken=********');
  expect(log).toContain('HTTPS_PROXY=http://********@proxy.test:3128');
  expect(log).not.toContain('MIRROR_TOKEN');
  expect(log).not.toContain(TOKEN);
});
