import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { agent, type GitFetch, useGitFetches } from '../testing/git-fetches.ts';

const { repository, https, first, fetched, failure } = useGitFetches();

describe('what is fetched', () => {
  test('when the ref is a branch, then the files of its commit are fetched, without history', async () => {
    const got = await fetched({ ref: 'main' });
    expect(got.commits).toEqual([first()]);
    expect((await readdir(got.folder)).toSorted()).toEqual(['agent.js', 'deep']);
    expect(got.lines[0]).toBe(`fetching main of ${https().url} at ${first().slice(0, 7)}`);
  });

  test('when the ref is HEAD, then the branch that the host shows first is fetched', async () => {
    expect((await fetched({ ref: 'HEAD' })).commits).toEqual([first()]);
  });

  test('when the ref is a tag, light or with a message or moved, then its commit is fetched', async () => {
    const second = await repository().commit({ 'agent.js': 'two' });
    await repository().git('tag', 'light', first());
    await repository().git('tag', '--annotate', '--message', 'x', 'annotated', first());
    await repository().git('tag', '--annotate', '--message', 'x', 'nested', 'annotated');
    await repository().git('push', '--quiet', '--tags', 'origin');
    for (const tag of ['light', 'annotated', 'nested']) {
      const got = await fetched({ ref: `refs/tags/${tag}` });
      expect([got.commits, await agent(got)]).toEqual([[first()], 'one']);
    }
    await repository().git('tag', '--force', 'light', second);
    await repository().git('push', '--quiet', '--force', '--tags', 'origin');
    expect((await fetched({ ref: 'refs/tags/light' })).commits).toEqual([second]);
    const pinned = await fetched({ ref: 'refs/tags/light', commit_sha: first() });
    expect([pinned.commits, await agent(pinned)]).toEqual([[first()], 'one']);
  });

  test('when the ref is a commit’s id, then that commit is fetched, be it a head or not', async () => {
    const got = await fetched({ ref: first() });
    expect([got.commits, await agent(got)]).toEqual([[first()], 'one']);
  });

  test('when a commit was found before, then it is fetched, even from a branch that has moved', async () => {
    const got = await fetched({ ref: 'main', commit_sha: first() });
    expect([got.commits, await agent(got)]).toEqual([[first()], 'one']);
  });

  test('when a server gives out nothing by its id, then a commit is fetched through its branch', async () => {
    await repository().commit({ 'agent.js': 'three' });
    // The protocol before version 2, in which servers decide what may be asked for.
    https().before = ({ headers }) => {
      delete headers['git-protocol'];
      return false;
    };
    await repository().configure('uploadpack.allowAnySHA1InWant', 'false');
    for (const ref of ['main', first()]) {
      const got = await fetched({ ref, commit_sha: first() });
      expect(await agent(got)).toBe('one');
    }
    expect(await failure({ ref: 'main', commit_sha: 'ab'.repeat(20) })).toMatchObject({
      code: 'git_commit_gone',
    });
  });

  test('when it is not yet known that the commit is kept, then nothing is fetched', async () => {
    const onCommit = () => Promise.reject(new Error('The control plane is away.'));
    await expect(fetched({ onCommit })).rejects.toThrow('is away');
    expect(
      https().requests.every(({ line }) => !line.startsWith('POST') || line.includes('upload-pack')),
    ).toBe(true);
    expect(https().requests).toHaveLength(2);
  });

  test('when its host knows a repository with the suffix only, then it is fetched all the same', async () => {
    https().before = ({ url = '' }, response) => {
      if (!url.startsWith('/one/agent/')) return false;
      response.writeHead(301, { location: url.replace('/agent/', '/agent.git/') }).end();
      return true;
    };
    const got = await fetched({ repo_url: https().url.replace(/\.git$/, '') });
    expect(got.commits).toHaveLength(1);
  });
});

describe('what ends in a sentence', () => {
  test.each<[string, () => GitFetch, Partial<Record<'code' | 'message' | 'hint', RegExp | string>>]>([
    [
      'an unknown branch',
      () => ({ ref: 'nothing' }),
      { code: 'git_ref_unknown', message: /no branch nothing in/ },
    ],
    [
      'a tag as a branch',
      () => ({ ref: 'light' }),
      { code: 'git_ref_unknown', hint: /give it as refs\/tags\/light/ },
    ],
    ['a short id', () => ({ ref: first().slice(0, 8) }), { code: 'git_ref_unknown', hint: /whole id/ }],
    ['an unknown tag', () => ({ ref: 'refs/tags/nothing' }), { message: /no tag nothing in/ }],
    [
      'an unknown commit',
      () => ({ ref: 'ab'.repeat(20) }),
      { code: 'git_commit_gone', message: /no commit abababa/ },
    ],
    [
      'an unknown repository',
      () => ({ repo_url: https().url.replace('agent', 'other') }),
      { code: 'git_repository_unknown' },
    ],
    [
      'a private host',
      () => ({ allowed_hosts: [] }),
      { code: 'host_not_allowed', hint: /ROADSTEAD_ALLOWED_HOSTS/ },
    ],
    ['a path', () => ({ repo_url: repository().path }), { code: 'git_address_refused' }],
    ['file:', () => ({ repo_url: `file://${repository().path}` }), { code: 'git_address_refused' }],
    ['ext:', () => ({ repo_url: 'ext::sh%20-c%20id' }), { code: 'git_address_refused' }],
    ['an option as an address', () => ({ repo_url: '--upload-pack=id' }), { code: 'git_address_refused' }],
    ['an option as a ref', () => ({ ref: '--upload-pack=id' }), { code: 'git_ref_refused' }],
    [
      'certificates that nobody trusts',
      () => ({ environment: { GIT_SSL_CAINFO: '' } }),
      { code: 'git_tls_failed', message: /localhost isn't trusted/ },
    ],
    [
      'what is too large on its way',
      () => ({ max_bytes: 500 }),
      { code: 'git_too_large', message: /above 1 kB/ },
    ],
    ['too many files', () => ({ limits: { entries: 1, bytes: 1e9 } }), { code: 'git_too_large' }],
    ['too large files', () => ({ limits: { entries: 100, bytes: 2 } }), { code: 'git_too_large' }],
  ])('when there is %s, then that ends in a sentence', async (_what, options, ended) => {
    const shown = await failure(options());
    for (const [name, pattern] of Object.entries(ended))
      expect(shown[name as keyof typeof ended]).toMatch(pattern);
  });

  test('when nobody knows a host, then that is said', async () => {
    const repo_url = 'https://nobody.invalid/o/r';
    expect(await failure({ repo_url })).toMatchObject({
      code: 'git_host_unknown',
      message: 'There is no host nobody.invalid.',
    });
  });

  test('when a branch was deleted, then its commit is fetched while it is there, and is then gone', async () => {
    await repository().git('checkout', '--quiet', '-b', 'passing');
    const commit_sha = await repository().commit({ 'agent.js': 'passing' }, { branch: 'passing' });
    await repository().git('push', '--quiet', 'origin', ':passing');
    await repository().git('checkout', '--quiet', 'main');
    expect(await failure({ ref: 'passing' })).toMatchObject({ code: 'git_ref_unknown' });
    expect(await agent(await fetched({ ref: 'passing', commit_sha }))).toBe('passing');
    await repository().prune();
    expect(await failure({ ref: 'passing', commit_sha })).toMatchObject({
      code: 'git_commit_gone',
      message: `Commit ${commit_sha.slice(0, 7)} of passing is gone from ${https().url}.`,
    });
  });

  test('when a force push comes before the commit is fetched, then the commit is gone', async () => {
    const before = await repository().commit({ 'agent.js': 'before' });
    const onCommit = async () => {
      await repository().git('reset', '--quiet', '--hard', first());
      await repository().commit({ 'agent.js': 'after' });
      await repository().prune();
    };
    const ended = await failure({ onCommit });
    expect(ended).toMatchObject({
      code: 'git_commit_gone',
      message: expect.stringContaining(before.slice(0, 7)) as string,
    });
  });

  test('when a repository has moved, then it is said to where, and nothing is asked there', async () => {
    const at = (location: string) => {
      https().before = (_request, response) => {
        response.writeHead(301, { location }).end();
        return true;
      };
      return failure({});
    };
    expect(await at('https://user:pw@other.example/o/r.git/info/refs?service=git-upload-pack')).toMatchObject(
      {
        code: 'git_redirected',
        message: `${https().url} redirects to https://other.example/o/r.git, which is not followed.`,
      },
    );
    expect(await at('/sign-in')).toMatchObject({
      message: expect.stringContaining(`:${https().port}/sign-in`) as string,
    });
    expect(https().requests.every(({ line }) => line.includes('/one/agent.git/'))).toBe(true);
  });

  test.each([500, 503, 429])('when a host answers %i, then it is tried again', async (status) => {
    https().before = (_request, response) => {
      response.writeHead(status).end();
      return true;
    };
    await expect(fetched()).rejects.toMatchObject({ name: 'SourceAway', problem: { code: 'git_host_away' } });
  });

  test('when a host does not listen, then it is tried again', async () => {
    const repo_url = `https://localhost:1/o/r`;
    await expect(fetched({ repo_url })).rejects.toMatchObject({
      name: 'SourceAway',
      message: /ECONNREFUSED/,
    });
  });
});

describe('what of a repository does not act here', () => {
  test('when a repository has hooks, filters, submodules or LFS files, then they do nothing here', async () => {
    await repository().git('checkout', '--quiet', '--orphan', 'odd');
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 12345\n`;
    await repository().write({
      '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n*.txt filter=evil\n',
      '.gitmodules': '[submodule "sub"]\n\tpath = sub\n\turl = https://localhost/sub.git\n',
      'model.bin': pointer,
      'note.txt': 'as it is',
      'hooks/post-checkout': '#!/bin/sh\ntouch /tmp/hooked\n',
    });
    await repository().commit({}, { branch: 'odd' });
    await repository().git('update-index', '--add', '--cacheinfo', `160000,${first()},sub`);
    await repository().git('commit', '--quiet', '--message', 'A submodule');
    const commit_sha = await repository().push('odd');
    await repository().git('checkout', '--quiet', 'main');
    const got = await fetched({ ref: 'odd' });
    expect(got.commits).toEqual([commit_sha]);
    expect(await readFile(join(got.folder, 'model.bin'), 'utf8')).toBe(pointer);
    expect(await readFile(join(got.folder, 'note.txt'), 'utf8')).toBe('as it is');
    expect(got.lines).toContain('submodules are not fetched, their folders stay empty: sub');
    expect(got.lines).toContain(
      'files of Git LFS are not fetched, their pointers stay in their place: model.bin',
    );
    await expect(stat('/tmp/hooked')).rejects.toThrow();
  });

  test('when a link stays inside, then it is kept; one that leads out is refused', async () => {
    await repository().commit({ inside: { link: 'deep/langgraph.json' } });
    const got = await fetched();
    expect(await readFile(join(got.folder, 'inside'), 'utf8')).toBe('{}');
    for (const link of ['/etc/passwd', '../../secret', 'deep/../../x']) {
      await repository().git('rm', '--quiet', '--force', '--ignore-unmatch', 'outside');
      await repository().commit({ outside: { link } });
      expect(await failure({})).toMatchObject({ code: 'git_link_refused', message: /"outside" leads out/ });
    }
    await repository().git('rm', '--quiet', '--force', 'outside');
    await repository().commit();
  });

  test('when a tree would write into .git, then it is refused', async () => {
    const blob = await repository().git('hash-object', '-w', 'agent.js');
    const inner = await repository().tree(`100644 blob ${blob}\tconfig\n`);
    for (const name of ['.git', '.GIT', 'git~1', '.g\u200cit']) {
      const tree = await repository().tree(`040000 tree ${inner}\t${name}\n`);
      const commit = await repository().git('commit-tree', '-m', 'x', tree);
      await repository().git('push', '--quiet', '--force', 'origin', `${commit}:refs/heads/evil`);
      expect([name, (await failure({ ref: 'evil' })).code]).toEqual([name, 'git_object_refused']);
    }
  });

  test('when a tag is of something else than a commit, then that is said', async () => {
    const blob = await repository().git('hash-object', '-w', 'agent.js');
    await repository().git('push', '--quiet', 'origin', `${blob}:refs/tags/blob`);
    expect(await failure({ ref: 'refs/tags/blob' })).toMatchObject({ message: /is a blob, not a commit/ });
  });
});
