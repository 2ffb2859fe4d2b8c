import { expect, test } from 'vitest';
import { settingsOfFile } from './operator-npm-rules.ts';
import { yarnrcOf } from './yarn-settings-rules.ts';

test.each([
  ['registry=https://mirror.test/npm/', { npmRegistryServer: 'https://mirror.test/npm/' }],
  ['@corp:registry=https://corp.test/', { npmScopes: { corp: { npmRegistryServer: 'https://corp.test/' } } }],
  [
    '//mirror.test/npm/:_authToken=token',
    { npmRegistries: { '//mirror.test/npm': { npmAlwaysAuth: true, npmAuthToken: 'token' } } },
  ],
  [
    '//mirror.test/:username=me\n//mirror.test/:_password=c2VjcmV0',
    { npmRegistries: { '//mirror.test': { npmAlwaysAuth: true, npmAuthIdent: 'me:secret' } } },
  ],
  [
    '//mirror.test/:_auth=bWU6c2VjcmV0',
    { npmRegistries: { '//mirror.test': { npmAlwaysAuth: true, npmAuthIdent: 'bWU6c2VjcmV0' } } },
  ],
  ['//mirror.test/:certfile=/etc/cert.pem', {}],
  ['https-proxy=http://proxy.test:3128', { httpsProxy: 'http://proxy.test:3128' }],
  ['strict-ssl=false', { enableStrictSsl: false }],
  ['registry=https://one.test/\nregistry=https://two.test/', { npmRegistryServer: 'https://two.test/' }],
  ['', {}],
])('when npm’s settings are %s, then yarn gets those that it knows', (text, expected) => {
  expect(JSON.parse(yarnrcOf(settingsOfFile(text, {})))).toEqual(expected);
});
