import { describe, expect, test } from 'vitest';
import type { SourceCredentials } from '@roadstead/contracts/control-plane';
import { hasSsh } from '../testing/git-ssh-host.ts';
import { agent, useGitFetches } from '../testing/git-fetches.ts';

const { https, ssh, first, fetched, failure } = useGitFetches();

const tokenOf = (token: string): SourceCredentials => ({ kind: 'token', username: 'x-access-token', token });
const keyOf = (private_key: string, known_hosts: string | null): SourceCredentials => ({
  kind: 'ssh_key',
  private_key,
  known_hosts,
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
