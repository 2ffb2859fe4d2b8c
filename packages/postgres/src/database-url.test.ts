import { describe, expect, test } from 'vitest';
import { withDatabaseName, withSessionOptions } from './database-url.ts';

describe('addresses', () => {
  test.each([
    [
      'postgresql://me:p%40ss@host:5432/old?sslmode=require',
      'postgresql://me:p%40ss@host:5432/new?sslmode=require',
    ],
    ['postgres://host', 'postgres://host/new'],
    ['postgresql://host/', 'postgresql://host/new'],
    ['postgresql://me:pw@/old?host=%2Ftmp%2Fa%20b', 'postgresql://me:pw@/new?host=%2Ftmp%2Fa%20b'],
    ['postgresql://me@[::1]:5/old', 'postgresql://me@[::1]:5/new'],
    ['postgresql://me@a,b/old', 'postgresql://me@a,b/new'],
  ])('when the address is %s, then only the name of its database is replaced', (url, expected) =>
    expect(withDatabaseName(url, 'new')).toBe(expected),
  );

  test('when a name is odd, then it is encoded; what is no address is refused and not repeated', () => {
    expect(withDatabaseName('postgres://h/x', 'a/b c?"')).toBe('postgres://h/a%2Fb%20c%3F%22');
    for (const url of ['mysql://me:secret@h/x', 'secret', '', 'postgresql://h/x#secret']) {
      expect(() => withDatabaseName(url, 'new')).toThrow(/^A database address must look like/);
    }
  });

  test('when session options are added, then they follow those of the address, after the defaults', () => {
    const url = withSessionOptions(
      'postgresql://h/x?options=-c%20a%3D1&host=%2Fa%20b',
      { b: '2 3', c: undefined },
      { a: '0' },
    );
    expect([...new URL(url).searchParams]).toEqual([
      ['options', String.raw`-c a=0 -c a=1 -c b=2\ 3`],
      ['host', '/a b'],
    ]);
  });
});
