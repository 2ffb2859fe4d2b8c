import { expect, test } from 'vitest';
import { Access, covers } from './access.ts';
import { allows } from './access-rules.ts';
import { highestRole, ROLES, roleOf } from './roles.ts';

test('when a role is higher, then it may all that the lower ones may', () => {
  for (const scope of ROLES.viewer) expect(covers(ROLES.member, scope)).toBe(true);
  for (const scope of ROLES.member) expect(covers(ROLES.admin, scope)).toBe(true);
});

test('when an access administers or gives tokens in clear, then members lack it', () => {
  const lacking = Access.options.filter((access) => !allows(ROLES.member, [access]));
  expect(lacking.filter((access) => !/:admin$|^connections:use$|^listener$/.test(access))).toEqual([]);
  expect(
    Access.options.filter((access) => allows(ROLES.viewer, [access]) && !access.endsWith(':read')),
  ).toEqual([]);
});

test('when scopes are those of a role in any words, then it is named, and otherwise none is', () => {
  expect([roleOf(['reader']), roleOf(['admin', 'traces:read']), roleOf([...ROLES.member].reverse())]).toEqual(
    ['viewer', 'admin', 'member'],
  );
  expect([roleOf(['traces:read']), roleOf([])]).toEqual([null, null]);
});

test('when somebody has several roles, then the highest counts', () => {
  expect([highestRole(['member', 'viewer']), highestRole(['viewer', 'admin']), highestRole([])]).toEqual([
    'member',
    'admin',
    undefined,
  ]);
});
