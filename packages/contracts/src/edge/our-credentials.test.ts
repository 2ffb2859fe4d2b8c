import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { addressForCode, headerForCode, headersToChange, holdsOurs } from './our-credentials.ts';

const key = `rs_${randomBytes(32).toString('base64url')}`;
const jwt = (head: object, claims: object) =>
  [head, claims, 'signature']
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
const token = jwt({ alg: 'EdDSA', typ: 'at+jwt' }, { grant_id: 'g', workspace_id: 'w', client_id: 'c' });
const theirs = jwt({ alg: 'RS256', typ: 'at+jwt' }, { iss: 'https://login.example', sub: 'ada' });
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

test.each([
  ['a key', key],
  ['a key of a scheme', `Bearer ${key}`],
  ['a key among others', `one=1, key="${key}"`],
  ['a key in an address', `https://agent.example/?key=${key}`],
  ['a key with its line escaped', encodeURIComponent(`key:${key}`).replaceAll('_', '%5F')],
  ['a key with its line escaped, beside half of an escape', `100%E0%A4% ${key.replaceAll('_', '%5f')}`],
  ['a key behind what says that it is one', `x-api-key-${key}`],
  ['a key behind a word with a line', `api_key_${key}`],
  ['an access token behind a word', `bearer-${token}`],
  ['a key as a password', basic(`ada:${key}`)],
  ['a key as a user', basic(`${key}:`)],
  ['an access token', token],
  ['an access token of a scheme', `Bearer ${token}`],
  ['an access token as a password', basic(`x:${token}`)],
])('when a text holds %s, then it is ours', (_title, text) => {
  expect(holdsOurs(text)).toBe(true);
});

test.each([
  ['nothing', ''],
  ['a word that begins alike', 'rs_date'],
  ['a longer word', `rs_${'a'.repeat(60)}`],
  ['a word that ends alike', `ours${key.slice(2)}x`],
  ['a token of another issuer', `Bearer ${theirs}`],
  ['a token without a header', `Bearer eyJ.eyJ.x`],
  ['an id', crypto.randomUUID()],
  ['a user and a password', basic('ada:rs_secret')],
  ['half of an escape', '%E0%A4%A'],
])('when a text holds %s, then it is not ours', (_title, text) => {
  expect(holdsOurs(text)).toBe(false);
});

test.each([
  ['x-api-key', 'rs_chosen', undefined],
  ['authorization', 'bearer rs_chosen', undefined],
  ['x-api-key', 'of-the-app', 'of-the-app'],
  ['authorization', `Bearer ${theirs}`, `Bearer ${theirs}`],
  ['x-sort', 'rs_date', 'rs_date'],
  ['x-anything', `a ${key}`, undefined],
  ['cookie', `theme=dark; key=${key}; session=theirs`, 'theme=dark; session=theirs'],
  ['cookie', `key=${key}`, undefined],
  ['sec-websocket-protocol', `v1, ${token}`, 'v1'],
  ['sec-websocket-protocol', `v1, api-key-${key}`, 'v1'],
  ['cookie', `a=100%; session=x_${encodeURIComponent(`"${key}`)}; b=1`, 'a=100%; b=1'],
])('when the header %s: %s comes, then a deployment’s code sees %s', (name, value, seen) => {
  expect(headerForCode(name, value)).toBe(seen);
  const changes = headersToChange(new Headers({ [name]: value, 'x-team': 'red' }));
  expect(changes).toEqual(seen === value ? [] : [[name, seen]]);
});

test.each([
  ['/page', '/page'],
  ['/page?a=1&b=%20x+y&&', '/page?a=1&b=%20x+y&&'],
  [`/page?a=1&key=${key}&b=2`, '/page?a=1&b=2'],
  [`/page?${encodeURIComponent(key)}`, '/page'],
  [`?token=${token}`, ''],
  [`?token=${theirs}`, `?token=${theirs}`],
])('when the address %s is called, then a deployment’s code sees %s', (address, seen) => {
  expect(addressForCode(address)).toBe(seen);
});
