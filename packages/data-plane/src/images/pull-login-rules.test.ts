import { expect, test } from 'vitest';
import { imageReferenceOf } from './image-reference-rules.ts';
import { loginsFor, pullLoginsOf } from './pull-login-rules.ts';

const base64 = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64');
const login = (at: string) => ({ at, username: at, password: 'secret' });

test.each([
  ['registry.test', 'registry.test/team/agent:1', true],
  ['https://registry.test/v1/', 'registry.test/team/agent:1', true],
  ['registry.test/v2/', 'registry.test/team/agent:1', true],
  ['registry.test/team', 'registry.test/team/agent:1', true],
  ['registry.test/other', 'registry.test/team/agent:1', false],
  ['registry.test:5000', 'registry.test:5000/agent', true],
  ['registry.test', 'registry.test:5000/agent', false],
  ['registry.test:5000', 'registry.test/agent', false],
  ['*.registry.test', 'eu.registry.test/agent', true],
  ['*.registry.test', 'registry.test/agent', false],
  ['*.registry.test', 'a.eu.registry.test/agent', false],
  ['eu-*-x.registry.test', 'eu-west-x.registry.test/agent', true],
  ['eu-*-x.registry.test', 'eu-x.registry.test/agent', false],
  ['https://index.docker.io/v1/', 'busybox', true],
  ['docker.io', 'docker.io/team/agent', true],
  ['other.test', 'busybox', false],
])('when a login is for %s, then whether it is for the image %s is %s', (at, image, isFor) => {
  expect(loginsFor([login(at)], imageReferenceOf(image))).toHaveLength(isFor ? 1 : 0);
});

test('when several logins are for an image, then that of the longest path comes first', () => {
  const logins = ['registry.test', 'registry.test/team/agent', 'registry.test/team'].map(login);
  const found = loginsFor(logins, imageReferenceOf('registry.test/team/agent:1'));
  expect(found.map(({ username }) => username)).toEqual([
    'registry.test/team/agent',
    'registry.test/team',
    'registry.test',
  ]);
});

const entry = { 'registry.test': { auth: base64('me:a:secret') } };
const found = [{ at: 'registry.test', username: 'me', password: 'a:secret' }];
const plain = { 'registry.test': { username: 'me', password: 'a:secret' } };

test.each([
  ['kubernetes.io/dockerconfigjson', { '.dockerconfigjson': base64({ auths: entry }) }, found],
  ['kubernetes.io/dockerconfigjson', { '.dockerconfigjson': base64({ auths: plain }) }, found],
  ['kubernetes.io/dockercfg', { '.dockercfg': base64(entry) }, found],
  ['kubernetes.io/dockerconfigjson', { '.dockerconfigjson': base64('no JSON') }, undefined],
  ['kubernetes.io/dockerconfigjson', { '.dockerconfigjson': base64({ auths: 'none' }) }, undefined],
  ['kubernetes.io/dockerconfigjson', {}, undefined],
  ['Opaque', { '.dockerconfigjson': base64({ auths: entry }) }, undefined],
])('when a secret of type %s holds %j, then its logins are read', (type, data, logins) => {
  expect(pullLoginsOf({ type, data })).toEqual(logins);
});
