import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { useFixture, useFolder } from '@roadstead/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import type { AssignedSource, SourceCredentials } from '@roadstead/contracts/control-plane';
import { openFence } from '@roadstead/fence';
import { createLog, Problem } from '@roadstead/kit';
import { startHttpsHost } from '../testing/git-https-host.ts';
import { TestRepository } from '../testing/git-repository.ts';
import { hasSsh, startSshHost } from '../testing/git-ssh-host.ts';
import { createGitSource } from './git-source.ts';
import { openGit } from './open-git.ts';

/** Real git on both sides, over https and ssh. */

const folder = useFolder('git-source-');
const fence = useFixture(
  async () => (await openFence({ isolation: 'auto', data_folder: folder(), sockets: [] })).fence,
);
const repository = useFixture(() => TestRepository.open());
const https = useFixture(() => startHttpsHost(repository().root));
const ssh = useFixture(() => startSshHost(repository().root));
const first = useFixture(() => repository().commit({ 'agent.js': 'one', 'deep/langgraph.json': '{}' }));
beforeEach(() => {
  https().credentials = undefined;
  https().before = undefined;
  https().requests.length = 0;
  ssh().isLocked = false;
  ssh().commands.length = 0;
});

type GitSource = Extract<AssignedSource, { readonly kind: 'git' }>;

interface Fetch extends Partial<GitSource> {
  readonly credentials?: SourceCredentials;
  readonly max_bytes?: number;
  readonly limits?: { readonly entries: number; readonly bytes: number };
  readonly allowed_hosts?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly onCommit?: (commit_sha: string) => Promise<void>;
}

interface FetchedSource {
  readonly folder: string;
  readonly commits: readonly string[];
  readonly lines: readonly string[];
}

let fetches = 0;

/** Fetches into a new folder, and checks whether anything is left beside it. */
async function fetched({ credentials, limits, onCommit, ...options }: Fetch = {}): Promise<FetchedSource> {
  const at = join(folder(), 'artifacts', `fetch-${(fetches += 1)}`);
  await mkdir(join(at, 'work'), { recursive: true });
  const into = join(at, 'work');
  const { allowed_hosts = ['localhost'], max_bytes, environment = {}, ...source } = options;
  await using git = await openGit({
    fence: fence(),
    folder: join(folder(), 'git', String(fetches)),
    environment: { PATH: process.env['PATH'], GIT_SSL_CAINFO: https().ca_file, ...environment },
    allowed_hosts,
    log: createLog({ level: 'error' }),
    ...(max_bytes === undefined ? {} : { max_bytes }),
  });
  if (git === undefined) throw new Error('This machine has no git.');
  const [commits, lines]: [string[], string[]] = [[], []];
  const fetchSource = createGitSource({ ...git.context, ...(limits === undefined ? {} : { limits }) });
  try {
    await fetchSource(
      {
        kind: 'git',
        repo_url: https().url,
        ref: 'main',
        commit_sha: null,
        has_credentials: credentials !== undefined,
        artifact_put_url: '',
        ...source,
      },
      {
        folder: into,
        credentials: async () => credentials ?? null,
        onCommit: async (commit_sha) => {
          commits.push(commit_sha);
          await onCommit?.(commit_sha);
        },
        onLine: (line) => lines.push(line),
        signal: new AbortController().signal,
      },
    );
  } finally {
    expect(await readdir(at)).toEqual(['work']);
    expect(lines.join('\n')).not.toContain(folder());
    expect(lines.filter((line) => line.includes(secretOf(credentials)))).toEqual([]);
  }
  return { folder: into, commits, lines };
}

function secretOf(credentials: SourceCredentials | undefined): string {
  if (credentials === undefined) return 'no secret';
  return credentials.kind === 'token' ? credentials.token : credentials.private_key;
}

/** The code, message and hint that a fetch ends with. */
async function failure(options: Fetch): Promise<Pick<Problem, 'code' | 'message' | 'hint'>> {
  try {
    await fetched(options);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { code: error.code, message: error.message, hint: error.hint };
  }
  throw new Error('It was fetched.');
}

const agent = async ({ folder: into }: FetchedSource) => readFile(join(into, 'agent.js'), 'utf8');
const tokenOf = (token: string): SourceCredentials => ({ kind: 'token', username: 'x-access-token', token });
const keyOf = (private_key: string, known_hosts: string | null): SourceCredentials => ({
  kind: 'ssh_key',
  private_key,
  known_hosts,
});

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

describe('who may', () => {
  test('when there is a token, then it opens the repository, and stands in no address or line', async () => {
    https().credentials = 'x-access-token:secret-token-1';
    await fetched({ credentials: tokenOf('secret-token-1') });
    expect(https().requests.every(({ authorization }) => authorization !== undefined)).toBe(true);
    expect(
      https()
        .requests.map(({ line }) => line)
        .join(),
    ).not.toContain('secret-token-1');
  });

  test.each([
    [undefined, 'git_authentication_needed', /can't be read without credentials/],
    [tokenOf('revoked-token-1'), 'git_credentials_refused', /localhost refuses the token of the integration/],
  ])(
    'when credentials are %j, then a private repository ends in a sentence',
    async (credentials, code, message) => {
      https().credentials = 'x-access-token:secret-token-1';
      const ended = await failure(credentials === undefined ? {} : { credentials });
      expect(ended).toMatchObject({ code, message: expect.stringMatching(message) as string });
      expect(ended.message + ended.hint).not.toContain('revoked-token-1');
    },
  );

  test('when credentials are of the wrong kind, then they are told apart before anything is asked', async () => {
    expect(await failure({ credentials: keyOf(ssh().key, null) })).toMatchObject({
      code: 'git_credentials_unfit',
    });
    const ended = await failure({ repo_url: ssh().url, credentials: tokenOf('some-token-1') });
    expect(ended).toMatchObject({ code: 'git_credentials_unfit' });
    expect(https().requests).toEqual([]);
  });
});

describe.skipIf(!hasSsh)('by ssh (skipped where there is no program ssh)', () => {
  test('when there are a deploy key and the host’s key, then the repository is fetched', async () => {
    const got = await fetched({
      repo_url: ssh().url,
      ref: first(),
      credentials: keyOf(ssh().key, ssh().known_hosts),
    });
    expect(await agent(got)).toBe('one');
    expect(ssh().commands).toContain("git-upload-pack '/one/agent.git'");
  });

  test('when there is only a deploy key, then the host’s key is taken as it comes', async () => {
    const got = await fetched({
      repo_url: ssh().url,
      ref: 'main',
      credentials: keyOf(ssh().key.trim(), null),
    });
    expect(got.commits).toHaveLength(1);
  });

  test.each([
    ['without a key', () => undefined, 'git_authentication_needed'],
    ['with a key that it does not know', () => keyOf(ssh().other_key, null), 'git_credentials_refused'],
    ['with what is no key', () => keyOf('no key at all', null), 'git_key_unreadable'],
    [
      'with another host key',
      () => keyOf(ssh().key, ssh().known_hosts.replace(/AAAA\S+/, otherHostKey)),
      'git_host_key_mismatch',
    ],
    [
      'with the key of another host',
      () => keyOf(ssh().key, 'other.test ssh-ed25519 AAAA'),
      'git_host_key_mismatch',
    ],
  ])('when ssh comes %s, then that ends in a sentence', async (_what, credentialsOf, code) => {
    const credentials = credentialsOf();
    const ended = await failure({
      repo_url: ssh().url,
      ...(credentials === undefined ? {} : { credentials }),
    });
    expect(ended).toMatchObject({ code });
  });

  test('when a deploy key was removed from the repository, then it is refused', async () => {
    ssh().isLocked = true;
    const ended = await failure({ repo_url: ssh().url, credentials: keyOf(ssh().key, ssh().known_hosts) });
    expect(ended).toMatchObject({ code: 'git_credentials_refused' });
  });

  test('when a repository is not there, then that is said', async () => {
    const repo_url = ssh().url.replace('agent.git', 'nothing.git');
    const ended = await failure({ repo_url, credentials: keyOf(ssh().key, ssh().known_hosts) });
    expect(ended).toMatchObject({ code: 'git_repository_unknown' });
  });

  test('when a private host is not allowed, then it is refused by its name', async () => {
    const ended = await failure({ repo_url: ssh().url, allowed_hosts: [] });
    expect(ended).toMatchObject({
      code: 'host_not_allowed',
      message: expect.stringContaining('localhost') as string,
    });
  });
});

const otherHostKey = 'AAAAC3NzaC1lZDI1NTE5AAAAIJ4tT8sPUJm5mUMhX8vZ1mWuzyV4tJpVJ5LYB2r9pZkL';

describe('what ends in a sentence', () => {
  test.each<[string, () => Fetch, Partial<Record<'code' | 'message' | 'hint', RegExp | string>>]>([
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
