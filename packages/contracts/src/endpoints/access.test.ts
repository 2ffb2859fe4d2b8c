import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Access, covers, type Scope } from './access.ts';
import { allows, includes } from './access-rules.ts';

const access = fc.constantFrom(...Access.options);
const listed = (scope: Scope) => Access.options.filter((one) => includes(scope, one));

test('when an access is held, then it gives itself, and admin of a resource its other rights', () => {
  expect(listed('traces:read')).toEqual(['traces:read']);
  expect(listed('traces:write')).toEqual(['traces:write']);
  expect(listed('traces:admin')).toEqual(['traces:read', 'traces:write', 'traces:admin']);
  expect(listed('listener')).toEqual(['listener']);
  expect(listed('agents:invoke')).toEqual(['agents:invoke']);
});

test('when scopes are listed, then admin is all but listener, and reader is every read', () => {
  expect(listed('admin')).toEqual(Access.options.filter((one) => one !== 'listener'));
  expect(listed('reader')).toEqual(Access.options.filter((one) => one.endsWith(':read')));
  expect(listed('reader').length).toBeGreaterThan(5);
});

test('when another access is asked for than is held, then only admin of the resource gives it', () => {
  fc.assert(
    fc.property(access, access, (held, asked) => {
      const sameResource = held.split(':')[0] === asked.split(':')[0];
      expect(includes(held, asked)).toBe(held === asked || (sameResource && held.endsWith(':admin')));
    }),
  );
});

test('when one of several accesses is held, then the call is allowed; without any, it is not', () => {
  expect(allows(['prompts:read'], ['traces:read', 'prompts:read'])).toBe(true);
  expect(allows(['prompts:write'], ['traces:read', 'prompts:read'])).toBe(false);
  expect(allows(['admin'], [])).toBe(false);
  expect(allows([], ['traces:read'])).toBe(false);
});

test.each<[Scope[], Scope, boolean]>([
  [['admin'], 'admin', true],
  [['admin'], 'reader', true],
  [['admin'], 'listener', false],
  [['keys:admin'], 'admin', false],
  [['keys:admin', 'traces:admin'], 'traces:write', true],
  [['reader'], 'traces:read', true],
  [['reader', 'keys:admin'], 'reader', true],
  [['traces:read', 'datasets:read'], 'reader', false],
])('when %j is held and %s is wanted, then it is covered: %s', (held, wanted, expected) => {
  expect(covers(held, wanted)).toBe(expected);
});
