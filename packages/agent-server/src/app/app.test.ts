import fc from 'fast-check';
import { expect, test } from 'vitest';
import { defaultSettings } from '@roadstead/contracts/langgraph-json';
import { isSwitchedOff } from './group-rules.ts';
import { configurableHeaders, loggedHeaders } from './header-rules.ts';
import { routeMatcher } from './route-rules.ts';

test.each([
  ['GET', '/hello', '/hello', true],
  ['GET', '/hello', '/hello/', false],
  ['GET', '/hello', '/other', false],
  ['GET', '/', '/', true],
  ['GET', '/', '/x', false],
  ['POST', '/hello', '/hello', false],
  ['ALL', '/hello', '/hello', true],
  ['GET', '/things/:id', '/things/7', true],
  ['GET', '/things/:id', '/things', false],
  ['GET', '/things/:id', '/things/7/parts', false],
  ['GET', '/things/:id?', '/things', true],
  ['GET', '/things/:id?', '/things/7', true],
  ['GET', '/things/:id{[0-9]{1,3}}', '/things/7', true],
  ['GET', '/things/:id{[0-9]+}/x', '/things/7/x', true],
  ['GET', '/files/:path{.+\\.png}', '/files/a/b.png', true],
  ['GET', '/files/*', '/files/a/b', true],
  ['GET', '/files/*', '/files', true],
  ['GET', '/files/*', '/filesystem', false],
  ['GET', '/a/*/c', '/a/b/c', true],
  ['GET', '/a/*/c', '/a/b/d', false],
  ['GET', '*', '/anything/at/all', true],
])('when the app has %s %s and GET %s comes, then it fits: %s', (method, path, given, expected) => {
  expect(routeMatcher([{ method, path }])('GET', given)).toBe(expected);
});

test('when a HEAD comes, then it is answered where a GET is', () => {
  expect(routeMatcher([{ method: 'GET', path: '/x' }])('HEAD', '/x')).toBe(true);
});

test('when an app tells a hostile address, then it does not take long to read', () => {
  const path = `/${':a{'.repeat(100)}${'}'.repeat(690)}x`;
  const began = performance.now();
  routeMatcher(Array.from({ length: 100 }, () => ({ method: 'GET', path })));
  expect(performance.now() - began).toBeLessThan(2000);
});

test('when an address has no parameters, then it fits itself', () => {
  const part = fc.stringMatching(/^[\w.-]{1,10}$/);
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
      const path = `/${parts.join('/')}`;
      expect(routeMatcher([{ method: 'ALL', path }])('PUT', path)).toBe(true);
    }),
  );
});

test.each([
  ['/assistants/search', 'disable_assistants'],
  ['/threads', 'disable_threads'],
  ['/threads/1/state', 'disable_threads'],
  ['/threads/1/runs/wait', 'disable_runs'],
  ['/threads/1/stream/events', 'disable_runs'],
  ['/runs/crons', 'disable_runs'],
  ['/store/items', 'disable_store'],
  ['/mcp', 'disable_mcp'],
  ['/a2a/agent', 'disable_a2a'],
  ['/.well-known/agent-card.json', 'disable_a2a'],
  ['/info', 'disable_meta'],
  ['/openapi.json', 'disable_meta'],
  ['/ui/agent', 'disable_ui'],
] as const)('when %s is to be off, then http.%s alone does it', (path, key) => {
  expect(isSwitchedOff(defaultSettings.http, path)).toBe(false);
  expect(isSwitchedOff({ ...defaultSettings.http, [key]: true }, path)).toBe(true);
  const others = Object.fromEntries(
    Object.entries(defaultSettings.http).map(([name, value]) => [
      name,
      typeof value === 'boolean' ? name !== key : value,
    ]),
  ) as typeof defaultSettings.http;
  expect(isSwitchedOff(others, path)).toBe(false);
});

test('when everything is switched off, then the deployment can still be asked whether it answers', () => {
  expect(isSwitchedOff({ ...defaultSettings.http, disable_meta: true }, '/ok')).toBe(false);
});

const headers = new Headers({
  'X-User-Id': '7',
  'x-api-key': 'secret',
  'X-Tenant-Id': 'w',
  'x-roadstead-assertion': 'signed',
  authorization: 'Bearer secret',
  'user-agent': 'test',
  'my-prefix-a': 'a',
  'my-secret-b': 'b',
});

test('when a run looks for headers, then it finds the application’s, and never a key', () => {
  expect(configurableHeaders(headers, defaultSettings.http)).toEqual({
    'x-user-id': '7',
    'user-agent': 'test',
  });
  const patterns = { includes: ['My-*', 'authorization', 'x-*'], excludes: ['*secret*', 'x-user-id'] };
  // One that tells who calls has been taken away before; what is left is for the project alone.
  expect(configurableHeaders(headers, { configurable_headers: patterns })).toEqual({
    'my-prefix-a': 'a',
    authorization: 'Bearer secret',
  });
});

test('when a credential of ours stands in whichever header, then neither runs nor logs see it', () => {
  const key = `rs_${'k'.repeat(43)}`;
  const sent = new Headers({
    'x-anything': `a ${key}`,
    authorization: 'Bearer rs_chosen',
    'x-theirs': 'Bearer of-the-app',
  });
  const all = { includes: ['*'], excludes: null };
  expect(configurableHeaders(sent, { configurable_headers: all })).toEqual({
    'x-theirs': 'Bearer of-the-app',
  });
  expect(loggedHeaders(sent, all)).toEqual({ 'x-theirs': 'Bearer of-the-app' });
});

test('when a header has the name of what the server says to runs, then runs do not see it', () => {
  const names = ['langgraph_auth_user', 'thread_id', 'checkpoint_id', '__pregel_store', 'run_id'];
  const smuggled = new Headers([...names.map((name): [string, string] => [name, 'x']), ['x-fine', 'y']]);
  const configurable_headers = { includes: ['*'], excludes: null };
  expect(configurableHeaders(smuggled, { configurable_headers })).toEqual({ 'x-fine': 'y' });
});

test('when headers are excluded, then they are not logged, nor are credentials', () => {
  expect(loggedHeaders(headers, { includes: ['*'], excludes: ['my-*'] })).toEqual({
    'user-agent': 'test',
    'x-user-id': '7',
  });
});

test('when a pattern is matched, then it fits as its expression would', () => {
  const text = fc.stringMatching(/^[ab]{0,6}$/);
  fc.assert(
    fc.property(
      fc.array(text, { minLength: 1, maxLength: 4 }),
      fc.stringMatching(/^[ab]{1,10}$/),
      (texts, name) => {
        const pattern = texts.join('*');
        fc.pre(pattern !== '');
        const found =
          name in loggedHeaders(new Headers({ [name]: '1' }), { includes: [pattern], excludes: null });
        expect(found).toBe(new RegExp(`^${texts.join('.*')}$`).test(name));
      },
    ),
  );
});
