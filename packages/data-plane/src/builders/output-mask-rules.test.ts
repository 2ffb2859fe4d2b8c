import { expect, test } from 'vitest';
import { createFolderMask, withoutCredentials } from './output-mask-rules.ts';

test.each([
  ['fetch https://user:canary@registry.test/zod', 'fetch https://********@registry.test/zod'],
  ['git+https://canary@github.test/a/b.git', 'git+https://********@github.test/a/b.git'],
  [
    '"postgres://u:canary@db:5432/x" https://a:canary@b',
    '"postgres://********@db:5432/x" https://********@b',
  ],
  ['https://us%40er:ca%2Fnary@host/', 'https://********@host/'],
  ['//registry.test/:_authToken=canary', '//registry.test/:_authToken=********'],
  ['npmAuthToken: "canary"', 'npmAuthToken: "********"'],
  ['git clone ssh://git@github.test/a/b', 'git clone ssh://git@github.test/a/b'],
  [
    'https://registry.test/@scope/pkg and me@example.test',
    'https://registry.test/@scope/pkg and me@example.test',
  ],
  ['see https://a.test?x=y@z', 'see https://a.test?x=y@z'],
])('when a line says %s, then it reads %s', (said, shown) => {
  expect(withoutCredentials(said)).toBe(shown);
});

test('when a line names folders of ours, then they go by their aliases, the inner one first', () => {
  const aliases = [
    { folder: '/data/artifacts/making/x', alias: '.' },
    { folder: '/data', alias: '…' },
  ];
  const said = 'ENOENT: open /data/artifacts/making/x/package.json, /data/cache/y, /database';
  expect(createFolderMask(aliases)(said)).toBe('ENOENT: open ./package.json, …/cache/y, /database');
});
