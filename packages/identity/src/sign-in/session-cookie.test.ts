import { expect, test } from 'vitest';
import { createSecretBox } from '@roadstead/kit';
import { createSessionCookies, isSameToken } from './session-cookie.ts';

let now = Date.parse('2026-01-01T00:00:00Z');
const open = (public_url = 'http://127.0.0.1:4100', secret = 'one') =>
  createSessionCookies({ secret_box: createSecretBox([secret]), public_url, now: () => now });
const sent = (cookie: string) => new Headers({ cookie: `other=1; ${cookie.split(';')[0] ?? ''}` });
const anna = [{ id: 'user:1', version: 3 }];
const session = { id: '0199d3a0-0000-7000-8000-000000000001', subjects: anna };

test('when a session is a month old or of another installation, then it is not read back', () => {
  const cookie = open().signedIn(session);
  expect(cookie).not.toContain('user:1');
  expect(cookie).toMatch(/; Path=\/oauth; Max-Age=2592000; HttpOnly; SameSite=Lax$/);
  expect(open().read(sent(cookie)).subjects).toEqual(anna);
  expect(open(undefined, 'another').read(sent(cookie)).subjects).toEqual([]);
  expect(open().read(sent(`${cookie.slice(0, 60)}x`)).subjects).toEqual([]);
  now += 2_592_000_001;
  expect(open().read(sent(cookie)).subjects).toEqual([]);
});

test('when nobody is signed in, then a page may be open for half an hour', () => {
  const cookie = open().signedOut();
  const { form_token } = open().read(sent(cookie));
  expect(cookie).toContain('; Max-Age=1800;');
  now += 1_799_000;
  expect(open().read(sent(cookie)).form_token).toBe(form_token);
  now += 1001;
  expect(open().read(sent(cookie)).form_token).not.toBe(form_token);
});

test('when one cookie is sent as the other, then it does not count', () => {
  const value = open().known(['user:1'], undefined).split(';')[0]?.split('=')[1] ?? '';
  expect(open().read(new Headers({ cookie: `roadstead_session=${value}` })).subjects).toEqual([]);
});

test('when the site is on https, then cookies go over https only', () => {
  const cookies = open('https://roadstead.example');
  expect(cookies.signedIn(session)).toMatch(/^__Secure-roadstead_session=.*; Secure$/);
  expect(cookies.read(sent(cookies.signedIn(session))).subjects).toEqual(anna);
});

test('when people sign in in a browser, then it is known for them, the last of them at least', () => {
  const first = open().browserOf(sent(open().known(['user:1'], undefined)));
  expect(first).toEqual({ device_id: expect.stringMatching(/^[\w-]{22}$/), ids: ['user:1'] });
  expect(open().browserOf(sent(open().known(['user:2', 'key:3'], first)))).toEqual({
    ...first,
    ids: ['user:2', 'key:3', 'user:1'],
  });
  const many = Array.from({ length: 60 }, () => `user:${crypto.randomUUID()}`);
  const cookie = open().known(many, first);
  expect(cookie.length).toBeLessThan(4096);
  expect(open().browserOf(sent(cookie))?.ids).toEqual(many.slice(0, 30));
  expect(open().browserOf(new Headers())).toBeUndefined();
});

test('when two tokens are compared, then they are the same only if they are equal', () => {
  expect([isSameToken('abc', 'abc'), isSameToken('abd', 'abc'), isSameToken('', 'abc')]).toEqual([
    true,
    false,
    false,
  ]);
});
