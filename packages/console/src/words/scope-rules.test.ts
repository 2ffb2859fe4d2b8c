import { allows, type Scope } from '@roadstead/contracts/access-rules';
import { expect, test } from 'vitest';
import { keySets, peopleSets, scopesInWords, scopesToGive } from './scope-rules.ts';

test.each<[readonly Scope[], string]>([
  [['agents:invoke'], 'Call agents'],
  [['deployments:write', 'deployments:read'], 'Deploy'],
  [['traces:read', 'usage:read'], 'see traces; see usage, limits and prices'],
])('when a key has %j, then it is told as "%s"', (scopes, words) => {
  expect(scopesInWords(scopes, keySets)).toBe(words);
});

test('when people have the scopes of a set, then they are told by its name', () => {
  expect(scopesInWords(['reader'], peopleSets)).toBe('Viewer');
});

test.each<[readonly Scope[], readonly Scope[]]>([
  [['traces:admin'], ['traces:read', 'traces:write', 'traces:admin']],
  [
    ['agents:invoke', 'keys:admin'],
    ['keys:admin', 'agents:invoke'],
  ],
])('when somebody has %j, then they hand on %j', (scopes, given) => {
  expect(scopesToGive((access) => allows(scopes, [access]))).toEqual(given);
});

test('when somebody has everything, then they hand on everything but the scope of listeners', () => {
  const given = scopesToGive((access) => allows(['admin'], [access]));
  expect(given).toContain('admin');
  expect(given).not.toContain('listener');
});
