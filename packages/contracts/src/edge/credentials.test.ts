import { expect, test } from 'vitest';
import { credentialOf, credentialsOf, headersWith, workspaceIdOf } from './credentials.ts';

/** As Node hands them over: a header that was sent twice is joined. */
function twice(name: string, ...values: string[]): Headers {
  const headers = new Headers();
  for (const value of values) headers.append(name, value);
  return headers;
}

test.each([
  [{ 'x-api-key': 'a', authorization: 'Bearer b' }, 'a'],
  [{ 'x-api-key': '', 'langsmith-api-key': 'c' }, 'c'],
  [{ 'x-api-key': '  ', authorization: 'bearer b' }, 'b'],
  [{ authorization: 'Basic b' }, undefined],
  [{ authorization: `Basic ${btoa('anybody:rs_one')}` }, 'rs_one'],
  [{ authorization: `Basic ${btoa('anybody:a password of theirs')}` }, undefined],
  // A browser sends it by itself, for pages of others.
  [{ authorization: `Basic ${btoa('anybody:rs_one')}`, origin: 'https://other.test' }, undefined],
  [{ authorization: `Basic ${btoa('anybody:rs_one')}`, 'sec-fetch-site': 'none' }, undefined],
  [{}, undefined],
])('when the headers are %j, then the credential is %s', (headers: Record<string, string>, expected) => {
  expect(credentialOf(new Headers(headers))).toBe(expected);
});

test('when a key is sent twice, then it counts once; two keys in one header are no key', () => {
  expect(credentialOf(twice('x-api-key', 'rs_one', 'rs_one'))).toBe('rs_one');
  expect(credentialOf(twice('x-api-key', 'rs_one', 'rs_two'))).toBe('rs_one, rs_two');
  expect(credentialOf(twice('authorization', 'Bearer rs_one', 'Bearer rs_one'))).toBe('rs_one');
});

test('when several credentials are sent, then they are listed in the order of the edge', () => {
  const headers = new Headers({ authorization: 'Bearer d', 'service-api-key': 'b', 'x-api-key': 'a' });
  expect(credentialsOf(headers)).toEqual(['a', 'b', 'd']);
});

test('when a key is a password, then the header that carries it is found', () => {
  const headers = new Headers({ authorization: `Basic ${btoa('anybody:rs_one')}` });
  expect(headersWith(headers, 'rs_one')).toEqual(['authorization']);
  expect(headersWith(headers, 'rs_two')).toEqual([]);
});

test('when a workspace header is empty, then it names none, and the next one is read', () => {
  expect(workspaceIdOf(new Headers({ 'x-tenant-id': '' }))).toBeUndefined();
  expect(workspaceIdOf(new Headers({ 'x-tenant-id': '', 'service-workspace-id': 'w' }))).toBe('w');
  expect(workspaceIdOf(twice('x-tenant-id', 'w', 'w'))).toBe('w');
});
