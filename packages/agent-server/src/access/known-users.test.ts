import { beforeEach, expect, test } from 'vitest';
import type { AuthSettings } from '@roadstead/contracts/langgraph-json';
import { KnownUsers } from './known-users.ts';

let now: number;
let users: KnownUsers;
beforeEach(() => {
  now = 0;
  users = new KnownUsers(() => now);
});

const settings = (cache: AuthSettings['cache']): AuthSettings => ({
  path: './auth.ts:auth',
  disable_studio_auth: false,
  openapi: null,
  allow_langsmith_api_keys: false,
  cache,
});
const cached = settings({
  cache_keys: ['authorization', 'x-team', 'no header'],
  ttl_seconds: 10,
  max_size: 2,
});
const named = (identity: string) => ({ identity, permissions: [] });
const headers = (authorization: string, team?: string) =>
  new Headers({ authorization, ...(team === undefined ? {} : { 'x-team': team }) });
const known = (sent: Headers, by = cached) => users.of(by, sent).user?.identity;

test('when a user is named, then the headers that count tell who it is, as long as is said', () => {
  users.of(cached, headers('a', 'red')).keep(named('alice'));
  expect(known(headers('a', 'red'))).toBe('alice');
  for (const other of [headers('a'), headers('a', 'blue'), headers('b', 'red')])
    expect(known(other)).toBeUndefined();
  now = 9999;
  expect(known(headers('a', 'red'))).toBe('alice');
  now = 10_000;
  expect(known(headers('a', 'red'))).toBeUndefined();
});

test('when there is no cache or no such header, then nobody is kept', () => {
  const none = settings(null);
  users.of(none, headers('a')).keep(named('alice'));
  expect(known(headers('a'), none)).toBeUndefined();
  users.of(cached, new Headers({ cookie: 'a' })).keep(named('alice'));
  expect(known(new Headers())).toBeUndefined();
});

test('when too many users are kept, then the oldest goes, and all go with the next revision', () => {
  for (const one of ['a', 'b', 'c']) users.of(cached, headers(one)).keep(named(one));
  expect(['a', 'b', 'c'].map((one) => known(headers(one)))).toEqual([undefined, 'b', 'c']);
  const { keep } = users.of(cached, headers('d'));
  const next = settings(cached.cache);
  expect(known(headers('b'), next)).toBeUndefined();
  keep(named('late'));
  expect(known(headers('d'), next)).toBeUndefined();
});

test('when the cache may be of any size, then a deployment still does not keep users without end', () => {
  const many = settings({ cache_keys: ['authorization'], ttl_seconds: 10, max_size: 1_000_000_000 });
  for (let one = 0; one <= 10_000; one += 1) users.of(many, headers(`t${one}`)).keep(named('alice'));
  expect([known(headers('t0'), many), known(headers('t1'), many)]).toEqual([undefined, 'alice']);
});
