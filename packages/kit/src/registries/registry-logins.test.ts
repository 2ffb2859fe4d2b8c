import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { useFolderPerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { registryLogins } from './registry-logins.ts';

const folder = useFolderPerTest('logins-');
const auth = Buffer.from('me:a:secret').toString('base64');
const loginAt = (registry: string) => registryLogins({ DOCKER_CONFIG: folder() })(registry);
const write = (config: unknown) => writeFile(join(folder(), 'config.json'), JSON.stringify(config));

test('when the operator has logged in at a registry, then images there are fetched with that', async () => {
  await write({ auths: { 'https://index.docker.io/v1/': { auth }, 'registry.test:5000': { auth } } });
  const login = { username: 'me', password: 'a:secret' };
  expect(await loginAt('docker.io')).toMatchObject(login);
  expect(await loginAt('registry.test:5000')).toEqual({ ...login, serveraddress: 'registry.test:5000' });
  expect(await loginAt('other.test')).toBeUndefined();
});

test('when a login has its parts apart, as Secrets of a cluster may, then it is the same', async () => {
  await write({ auths: { 'registry.test': { username: 'me', password: 'a:secret' } } });
  expect(await loginAt('registry.test')).toMatchObject({ username: 'me', password: 'a:secret' });
});

test.each([[{}], [{ auths: { 'registry.test': {} } }], [{ auths: 'none' }], ['text']])(
  'when the file of logins says %j, then there is none',
  async (config) => {
    await write(config);
    expect(await loginAt('registry.test')).toBeUndefined();
  },
);

test('when there is no file of logins, then there is none', async () => {
  expect(await loginAt('registry.test')).toBeUndefined();
});
