import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readGitAddress } from './git-address.ts';
import { isLikeCommit, readGitRef } from './git-ref.ts';

describe('addresses', () => {
  test.each([
    [
      'https://github.com/o/r',
      { transport: 'https', host: 'github.com', port: 443, user: null, path: '/o/r' },
    ],
    [
      'https://GitHub.com/o/r.git/',
      { host: 'github.com', path: '/o/r.git', url: 'https://github.com/o/r.git' },
    ],
    ['https://git.internal:8443/r', { port: 8443, url: 'https://git.internal:8443/r' }],
    ['https://git.internal:443/r', { port: 443, url: 'https://git.internal/r' }],
    ['https://[2001:DB8::1]/r', { host: '2001:db8::1', url: 'https://[2001:db8::1]/r' }],
    ['ssh://git@host.example:2222/o/r.git', { transport: 'ssh', port: 2222, user: 'git', path: '/o/r.git' }],
    ['ssh://host.example/o/r', { transport: 'ssh', port: 22, user: null, url: 'ssh://host.example/o/r' }],
    ['git@github.com:o/r.git', { port: 22, user: 'git', url: 'ssh://git@github.com/o/r.git' }],
    ['git@github.com:/o/r.git', { url: 'ssh://git@github.com/o/r.git' }],
    ['host.example:o/r', { user: null, url: 'ssh://host.example/o/r' }],
    ['git@[2001:db8::1]:o/r', { host: '2001:db8::1', url: 'ssh://git@[2001:db8::1]/o/r' }],
    ['HTTPS://host.example/o/r', { url: 'https://host.example/o/r' }],
    ['https://host.example/a/../b', { path: '/b' }],
    ['https://0x7f000001/r', { host: '127.0.0.1' }],
  ])('when %s is given, then it is read', (text, address) => {
    expect(readGitAddress(text)).toMatchObject({ kind: 'read', address });
  });

  test.each([
    ['', /no address/],
    ['--upload-pack=touch /tmp/x', /no address/],
    ['-oProxyCommand=id', /begins with a hyphen/],
    ['https://host.example/o r', /can not hold/],
    ['https://host.example/o\nr', /can not hold/],
    ['ext::sh -c id', /can not hold/],
    ['ext::sh', /helper/],
    ['fd::7', /helper/],
    ['http://host.example/r', /not encrypted/],
    ['git://host.example/r', /Only https and ssh/],
    ['file:///srv/r', /Only https and ssh/],
    ['ftp://host.example/r', /Only https and ssh/],
    ['git+ssh://host.example/r', /Only https and ssh/],
    ['/srv/git/r.git', /a path/],
    ['./r', /a path/],
    ['r', /a path/],
    ['https://user@host.example/r', /integration/],
    ['https://user:secret@host.example/r', /integration/],
    ['ssh://git:secret@host.example/r', /integration/],
    ['ssh://-oProxyCommand=id/r', /host/],
    ['git@-oProxyCommand=id:r', /host/],
    ['-oProxyCommand=id@host:r', /hyphen/],
    ['ssh://-l@host.example/r', /user name/],
    ['ssh://a%20b@host.example/r', /user name/],
    ['ssh://host.example%00.evil/r', /valid/],
    ['https://host.example/r?x=1', /query/],
    ['https://host.example/r#x', /query/],
    ['https://host.example/r?', /query/],
    ['https://host.example', /no repository/],
    ['https://host.example/', /no repository/],
    ['ssh://host.example:0/r', /port/],
    ['https://host.example:99999/r', /valid/],
    [`https://host.example/${'r'.repeat(3000)}`, /2048/],
  ])('when %s is given as a git address, then it is refused', (text, message) => {
    expect(readGitAddress(text)).toEqual({
      kind: 'refused',
      message: expect.stringMatching(message) as string,
    });
  });

  test('when an address was read, then its own text is read as the same', () => {
    const texts = fc.oneof(
      fc.webUrl({ validSchemes: ['https', 'ssh'] }),
      fc.tuple(fc.domain(), fc.webPath()).map(([host, path]) => `git@${host}:${path}`),
      fc.string({
        unit: fc.constantFrom('git@', 'host', ':', '/', '.', '-', '[', ']', '#', '?', '%20', 'aZ1', 'ssh'),
      }),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const read = readGitAddress(text);
        if (read.kind === 'refused') return;
        expect(readGitAddress(read.address.url)).toEqual(read);
        expect(read.address.url).toMatch(/^(https|ssh):\/\//);
        expect(read.address.host).not.toMatch(/^-/);
      }),
    );
  });
});

describe('refs', () => {
  test.each([
    ['HEAD', { kind: 'default' }],
    ['feature/-x', { kind: 'named', full: 'refs/heads/feature/-x' }],
    ['refs/pull/1/head', { kind: 'named', full: 'refs/pull/1/head' }],
    ['main', { kind: 'named', full: 'refs/heads/main' }],
    ['feature/one', { kind: 'named', full: 'refs/heads/feature/one' }],
    ['refs/heads/main', { kind: 'named', full: 'refs/heads/main' }],
    ['refs/tags/v1.0', { kind: 'named', full: 'refs/tags/v1.0' }],
    ['ÄÖ', { kind: 'named', full: 'refs/heads/ÄÖ' }],
    ['AB'.repeat(20), { kind: 'commit', sha: 'ab'.repeat(20) }],
    ['ab'.repeat(32), { kind: 'commit', sha: 'ab'.repeat(32) }],
    ['abc1234', { kind: 'named', full: 'refs/heads/abc1234' }],
  ])('when %s is given, then it is read', (text, ref) => {
    expect(readGitRef(text)).toEqual({ kind: 'read', ref });
  });

  test.each([
    '',
    '-x',
    '--upload-pack=id',
    'refs/heads/-x',
    'refs/tags/--exec=id',
    'a b',
    'a\nb',
    'a..b',
    'a~1',
    'a^{}',
    'a:b',
    'a?',
    'a*',
    'a[b',
    'a\\b',
    'a@{1}',
    '@',
    '/a',
    'a/',
    'a//b',
    '.a',
    'a/.b',
    'a.',
    'a.lock',
    'a.lock/b',
    'refs/pull',
    'refs/pull/',
    '-x/y',
    'refs/tags/',
    'refs/tags',
    'a\u0000b',
    'a\u007fb',
    'x'.repeat(300),
  ])('when %j is given as a ref, then it is refused', (text) => {
    expect(readGitRef(text)).toHaveProperty('kind', 'refused');
  });

  test.each([
    ['abc1234', true],
    ['main', false],
    ['abc', false],
  ])('when a ref is %s, then it is like a commit: %s', (name, isLike) =>
    expect(isLikeCommit(name)).toBe(isLike),
  );
});
