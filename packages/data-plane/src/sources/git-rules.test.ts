import { describe, expect, test } from 'vitest';
import { readGitAddress } from '@roadstead/contracts/git';
import { Problem } from '@roadstead/kit';
import { gitConfigOf, gitEnvironment, type GitSetup, proxyFileOf, sshConfigOf } from './git-config-rules.ts';
import { type GitFailure, judgeGitFailure, redirectTarget } from './git-failure-rules.ts';
import { refIn } from './git-refs.ts';
import { addEntry, emptyTree, treeRefusal, warningsOf } from './git-tree-rules.ts';

function addressOf(text: string) {
  const read = readGitAddress(text);
  if (read.kind === 'refused') throw new Error(read.message);
  return read.address;
}

const https = addressOf('https://git.test/o/r.git');
const ssh = addressOf('ssh://git@git.test:2222/o/r.git');

describe('what git and ssh are told', () => {
  const setup: GitSetup = {
    home: '/home of/it',
    address: https,
    credentials: { kind: 'token', username: 'x', token: 'secret"\\' },
    proxy: { port: 4711, username: 'pass', password: 'word' },
    programs: { git: '/opt/git/bin/git', ssh: "/it's/ssh", ssh_connect: '/a%b/connect', node: '/node' },
  };

  test('when there is a token, then it is sent to its host alone, and stands in no variable', () => {
    const text = gitConfigOf(setup);
    const basic = Buffer.from('x:secret"\\').toString('base64');
    expect(text).toContain(`[http "https://git.test/"]\n\textraHeader = "Authorization: Basic ${basic}"\n`);
    expect(text).toContain('[http]\n\tproxy = "http://pass:word@127.0.0.1:4711"\n');
    expect(text).toContain(`[core]\n\tsshCommand = "'/it'\\\\''s/ssh' '-F' '/home of/it/ssh_config'"\n`);
    expect(JSON.stringify(gitEnvironment('/home', setup.programs))).not.toContain('secret');
  });

  test.each([
    ['core', 'hooksPath', '/dev/null'],
    ['credential', 'helper', ''],
    ['fetch', 'fsckObjects', 'true'],
    ['protocol', 'allow', 'never'],
    ['protocol "https"', 'allow', 'always'],
    ['protocol "ssh"', 'allow', 'always'],
    ['http', 'followRedirects', 'false'],
    ['submodule', 'recurse', 'false'],
  ])('when git is set up, then it is told [%s] %s = %s', (section, key, value) => {
    expect(gitConfigOf(setup)).toContain(`[${section}]\n\t${key} = "${value}"\n`);
  });

  test('when ssh is set up, then it has no key but the given one, and asks the proxy', () => {
    const without = sshConfigOf({ ...setup, address: ssh, credentials: null });
    expect(without).toContain('IdentityFile none\n');
    expect(without).toContain('IdentityAgent none\n');
    expect(without).toContain('StrictHostKeyChecking accept-new\n');
    expect(without).toContain('/a%%b/connect');
    const key = { kind: 'ssh_key', private_key: 'k', known_hosts: 'h' } as const;
    const held = sshConfigOf({ ...setup, address: ssh, credentials: key });
    expect(held).toContain('IdentityFile "/home of/it/deploy_key"\n');
    expect(held).toContain('StrictHostKeyChecking yes\n');
    expect(JSON.parse(proxyFileOf({ ...setup, address: ssh }))).toMatchObject({
      to: 'git.test:2222',
      port: 4711,
    });
  });
});

describe('what a failure means', () => {
  const failure: GitFailure = {
    address: https,
    credentials: null,
    output: '',
    trouble: undefined,
    max_bytes: 1e9,
  };
  const said = (output: string, more: Partial<GitFailure> = {}) => {
    const verdict = judgeGitFailure({ ...failure, output, ...more });
    return 'problem' in verdict ? [verdict.kind, verdict.problem.code] : [verdict.kind];
  };

  test.each<[string, Partial<GitFailure>, string[]]>([
    [
      "fatal: could not read Username for 'https://git.test': terminal prompts disabled",
      {},
      ['refused', 'git_authentication_needed'],
    ],
    [
      "fatal: Authentication failed for 'https://git.test/o/r.git/'",
      { credentials: 'token' },
      ['refused', 'git_credentials_refused'],
    ],
    [
      'fatal: unable to access: The requested URL returned error: 403',
      { credentials: 'token' },
      ['refused', 'git_credentials_refused'],
    ],
    [
      "remote: Repository not found.\nfatal: repository 'https://git.test/o/r.git/' not found",
      {},
      ['refused', 'git_repository_unknown'],
    ],
    [
      'ERROR: Repository not found.\nfatal: Could not read from remote repository.',
      { address: ssh },
      ['refused', 'git_repository_unknown'],
    ],
    [
      'remote: The project you were looking for could not be found',
      {},
      ['refused', 'git_repository_unknown'],
    ],
    [
      'git@git.test: Permission denied (publickey).',
      { address: ssh },
      ['refused', 'git_authentication_needed'],
    ],
    [
      'git@git.test: Permission denied (publickey).',
      { address: ssh, credentials: 'ssh_key' },
      ['refused', 'git_credentials_refused'],
    ],
    [
      'Host key verification failed.\nfatal: Could not read from remote repository.',
      { address: ssh },
      ['refused', 'git_host_key_mismatch'],
    ],
    [
      'Load key "/deploy_key": error in libcrypto\nPermission denied (publickey).',
      { address: ssh, credentials: 'ssh_key' },
      ['refused', 'git_key_unreadable'],
    ],
    [
      'fatal: unable to access: SSL certificate problem: self-signed certificate',
      {},
      ['refused', 'git_tls_failed'],
    ],
    [
      "fatal: unable to access: SSL: no alternative certificate subject name matches target host name 'git.test'",
      {},
      ['refused', 'git_tls_failed'],
    ],
    ["git: 'remote-https' is not a git command. See 'git --help'.", {}, ['refused', 'git_program_missing']],
    [
      'error: cannot run ssh: No such file or directory',
      { address: ssh },
      ['refused', 'git_program_missing'],
    ],
    [
      'fatal: dumb http transport does not support shallow capabilities',
      {},
      ['refused', 'git_server_unsupported'],
    ],
    [
      "error: object 1234abcd: hasDotgit: contains '.git'\nfatal: fsck error in packed object",
      {},
      ['refused', 'git_object_refused'],
    ],
    ['fatal: Out of memory, realloc failed', {}, ['refused', 'git_too_large']],
    ['fatal: remote error: upload-pack: not our ref abcd', {}, ['no such commit']],
    ['error: Server does not allow request for unadvertised object abcd', {}, ['no such commit']],
    ['fatal: unable to access: The requested URL returned error: 301', {}, ['redirected']],
    ['fatal: unable to access: The requested URL returned error: 502', {}, ['away', 'git_host_away']],
    ['fatal: early EOF\nfatal: index-pack failed', {}, ['away', 'git_host_away']],
    [
      'ssh: kex_exchange_identification: Connection closed by remote host',
      { address: ssh },
      ['away', 'git_host_away'],
    ],
    ['fatal: something new', {}, ['refused', 'git_failed']],
    ['', {}, ['refused', 'git_failed']],
    ['fatal: early EOF', { trouble: { kind: 'too large' } }, ['refused', 'git_too_large']],
    ['fatal: early EOF', { trouble: { kind: 'idle' } }, ['away', 'git_host_away']],
    ['fatal: 502', { trouble: { kind: 'away', code: 'ECONNREFUSED' } }, ['away', 'git_host_away']],
    ['fatal: 502', { trouble: { kind: 'unknown host' } }, ['refused', 'git_host_unknown']],
    [
      'fatal: 502',
      { trouble: { kind: 'refused', problem: new Problem('invalid', 'no', { code: 'host_not_allowed' }) } },
      ['refused', 'host_not_allowed'],
    ],
  ])('when git ends with %s and %j, then the failure is told for what it is', (output, more, verdict) => {
    expect(said(output, more)).toEqual(verdict);
  });

  test('when the limit is passed, then it is said in a sentence', () => {
    const verdict = judgeGitFailure({ ...failure, trouble: { kind: 'too large' } });
    expect(verdict).toMatchObject({
      problem: { message: 'https://git.test/o/r.git is a repository above 1 GB.' },
    });
  });

  test.each([
    ['https://a:b@new.test/o/r.git/info/refs?service=git-upload-pack', 'https://new.test/o/r.git'],
    ['/sign-in?back=1', 'https://git.test/sign-in'],
    ['https://new.test:8443/o/r/', 'https://new.test:8443/o/r'],
    ['javascript:alert(1)', undefined],
    ['https://%%%', undefined],
  ])('when a host redirects to %s, then that points to %s', (location, to) =>
    expect(redirectTarget(location, https)).toBe(to),
  );
});

describe('refs of a host', () => {
  const [one, two] = ['1'.repeat(40), '2'.repeat(40)];
  const named = (full: string) => ({ ref: { kind: 'named', full }, url: https.url }) as const;

  test.each([
    [`${one}\trefs/heads/main\n`, named('refs/heads/main'), one],
    [`${one}\trefs/tags/v1\n${two}\trefs/tags/v1^{}\n`, named('refs/tags/v1'), two],
    // A ref with the same ending is another ref.
    [`${one}\trefs/heads/x/refs/heads/main\n${two}\trefs/heads/main\n`, named('refs/heads/main'), two],
  ])('when a host’s refs are %j, then the one that is wanted is found', (output, wanted, commit_sha) => {
    expect(refIn(output, wanted)).toMatchObject({ kind: 'found', ref: { commit_sha } });
  });

  test('when the default branch is asked for, then it is found by its name', () => {
    const output = `ref: refs/heads/trunk\tHEAD\n${one}\tHEAD\n`;
    expect(refIn(output, { ref: { kind: 'default' }, url: https.url })).toEqual({
      kind: 'found',
      ref: { commit_sha: one, full_name: 'refs/heads/trunk' },
    });
  });

  test.each([
    ['', { ref: { kind: 'default' }, url: https.url } as const, /has no commits yet/],
    [`${one}\trefs/heads/x/refs/heads/main\n`, named('refs/heads/main'), /no branch main/],
    ['', named('refs/pull/1/head'), /no ref refs\/pull\/1\/head/],
  ])('when a host’s refs are %j, then a sentence says what is missing', (output, wanted, message) => {
    expect(refIn(output, wanted)).toMatchObject({
      kind: 'missing',
      problem: { code: 'git_ref_unknown', message: expect.stringMatching(message) as string },
    });
  });
});

describe('trees', () => {
  const treeOf = (...entries: string[]) => {
    const tree = emptyTree();
    for (const entry of entries) addEntry(tree, entry);
    return tree;
  };

  test('when a tree is read, then its entries are told by what they are', () => {
    const id = 'a'.repeat(40);
    const tree = treeOf(
      `100644 blob ${id}      10\ta.js`,
      `120000 blob ${id}       4\tlink`,
      `160000 commit ${id}       -\tsub`,
      `100644 blob ${id}     130\tmodel.bin`,
      `100644 blob ${id}       3\tx/.gitattributes`,
      `100644 blob ${id}       3\twith\ttab\nand line`,
    );
    expect(tree).toEqual({
      entries: 6,
      bytes: 150,
      symlinks: ['link'],
      submodules: ['sub'],
      attributes: ['x/.gitattributes'],
      small: ['model.bin'],
    });
  });

  test.each([
    [{ entries: 3, bytes: 10 }, 'none'],
    [{ entries: 4, bytes: 10 }, 'The repository has more than 3 files.'],
    [{ entries: 1, bytes: 11 }, 'The repository unpacks to more than 10 bytes.'],
  ])('when a tree has %j, then it is within the limits, or refused in a sentence', (seen, message) => {
    const refusal = treeRefusal({ ...emptyTree(), ...seen }, { entries: 3, bytes: 10 });
    expect(refusal?.message ?? 'none').toBe(message);
  });

  test('when warnings have many paths, then they name a few', () => {
    const submodules = Array.from({ length: 7 }, (_, at) => `s${at}`);
    expect(warningsOf({ submodules, pointers: [] })).toEqual([
      'submodules are not fetched, their folders stay empty: s0, s1, s2, s3, s4 and 2 more',
    ]);
    expect(warningsOf({ submodules: [], pointers: [] })).toEqual([]);
  });
});
