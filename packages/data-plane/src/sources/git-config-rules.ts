import type { SourceCredentials } from '@roadstead/contracts/control-plane';
import type { GitAddress } from '@roadstead/contracts/git';

/**
 * Configures git and ssh. All settings are in files and variables of their own; nothing of the operator's is read.
 */

/** Programs of this machine, by absolute paths. */
export interface GitPrograms {
  readonly git: string;
  /** Undefined: addresses of ssh can't be fetched here. */
  readonly ssh: string | undefined;
  /** The program that ssh connects through; see ssh-connect.mts. */
  readonly ssh_connect: string;
  readonly node: string;
}

/** Access to the proxy. */
interface ProxyAccess {
  readonly port: number;
  readonly username: string;
  readonly password: string;
}

export interface GitSetup {
  /** HOME; an empty folder for this use alone. */
  readonly home: string;
  readonly address: GitAddress;
  readonly credentials: SourceCredentials | null;
  readonly proxy: ProxyAccess;
  readonly programs: GitPrograms;
  /** Certificates to trust instead of the system's. */
  readonly ca_file?: string | undefined;
}

/** Harmless mistakes of programs that wrote git objects long ago, which are no reason to refuse a repository. */
const HARMLESS = [
  'badTimezone',
  'emptyName',
  'missingEmail',
  'missingNameBeforeEmail',
  'missingSpaceBeforeDate',
  'missingSpaceBeforeEmail',
  'zeroPaddedDate',
  'zeroPaddedFilemode',
];

type Setting = readonly [section: string, key: string, value: string];

/** Settings for any repository: none of its author's code runs, and nobody changes it behind our back. */
const settings: readonly Setting[] = [
  ['core', 'hooksPath', '/dev/null'],
  ['core', 'fsmonitor', 'false'],
  ['core', 'attributesFile', '/dev/null'],
  ['core', 'excludesFile', '/dev/null'],
  ['core', 'askPass', ''],
  ['core', 'autocrlf', 'false'],
  ['core', 'protectHFS', 'true'],
  ['core', 'protectNTFS', 'true'],
  // Larger objects are not held in memory.
  ['core', 'bigFileThreshold', '32m'],
  ['core', 'packedGitWindowSize', '64m'],
  ['core', 'packedGitLimit', '512m'],
  ['pack', 'threads', '2'],
  ['credential', 'helper', ''],
  ['fetch', 'fsckObjects', 'true'],
  ['fetch', 'recurseSubmodules', 'false'],
  ...HARMLESS.map((id): Setting => ['fetch "fsck"', id, 'ignore']),
  ['gc', 'auto', '0'],
  ['maintenance', 'auto', 'false'],
  ['protocol', 'allow', 'never'],
  ['protocol "https"', 'allow', 'always'],
  ['protocol "ssh"', 'allow', 'always'],
  ['protocol', 'version', '2'],
  ['submodule', 'recurse', 'false'],
  ['http', 'followRedirects', 'false'],
  ['http', 'proxyAuthMethod', 'basic'],
  ['http', 'sslVerify', 'true'],
  // For servers that would send a short answer and expect another request.
  ['http', 'postBuffer', '1048576'],
];

/** The text of git's configuration file. */
export function gitConfigOf({ home, address, credentials, proxy, programs, ca_file }: GitSetup): string {
  const own: Setting[] = [
    ['http', 'proxy', `http://${proxy.username}:${proxy.password}@127.0.0.1:${proxy.port}`],
    ...(ca_file === undefined ? [] : [['http', 'sslCAInfo', ca_file] as const]),
    ...(credentials?.kind === 'token'
      ? [
          [
            `http "${originOf(address)}"`,
            'extraHeader',
            `Authorization: Basic ${basicOf(credentials)}`,
          ] as const,
        ]
      : []),
    ...(programs.ssh === undefined
      ? []
      : [['core', 'sshCommand', [programs.ssh, '-F', sshConfigPath(home)].map(quoted).join(' ')] as const]),
  ];
  return [...settings, ...own]
    .map(([section, key, value]) => `[${section}]\n\t${key} = "${value.replaceAll(/["\\]/g, '\\$&')}"\n`)
    .join('');
}

const originOf = ({ url, path }: GitAddress): string => `${url.slice(0, url.length - path.length)}/`;

export const basicOf = ({ username, token }: { readonly username: string; readonly token: string }): string =>
  Buffer.from(`${username}:${token}`).toString('base64');

export const sshConfigPath = (home: string): string => `${home}/ssh_config`;
export const sshKeyPath = (home: string): string => `${home}/deploy_key`;
export const knownHostsPath = (home: string): string => `${home}/known_hosts`;
export const proxyPath = (home: string): string => `${home}/proxy.json`;

/** The text of ssh's configuration file; it is the only one, and no key but the given one is tried. */
export function sshConfigOf({ home, credentials, programs }: GitSetup): string {
  const hasKey = credentials?.kind === 'ssh_key';
  const isHostKnown = hasKey && credentials.known_hosts !== null;
  const connect = [programs.node, programs.ssh_connect, proxyPath(home)].map(quoted).join(' ');
  return Object.entries({
    BatchMode: 'yes',
    IdentitiesOnly: 'yes',
    IdentityAgent: 'none',
    IdentityFile: hasKey ? `"${sshKeyPath(home)}"` : 'none',
    PreferredAuthentications: hasKey ? 'publickey' : 'none,publickey',
    UserKnownHostsFile: `"${knownHostsPath(home)}"`,
    GlobalKnownHostsFile: '/dev/null',
    StrictHostKeyChecking: isHostKnown ? 'yes' : 'accept-new',
    UpdateHostKeys: 'no',
    // Node reserves more memory than git may have (git-command.ts), though it uses less.
    ProxyCommand: `/bin/sh -c ${quoted(`ulimit -S -v unlimited 2>/dev/null; exec ${connect}`)}`.replaceAll(
      '%',
      '%%',
    ),
    ProxyUseFdpass: 'no',
    ForwardAgent: 'no',
    ClearAllForwardings: 'yes',
    PermitLocalCommand: 'no',
    ControlMaster: 'no',
    ServerAliveInterval: '15',
    ServerAliveCountMax: '4',
    LogLevel: 'ERROR',
  })
    .map(([name, value]) => `${name} ${value}\n`)
    .join('');
}

/** The text that ssh-connect.mts reads. */
export function proxyFileOf({ address, proxy }: GitSetup): string {
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  const { port, username, password } = proxy;
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  return JSON.stringify({ port, to: `${host}:${address.port}`, authorization });
}

/** All variables that git gets. */
export const gitEnvironment = (home: string, programs: GitPrograms): Record<string, string> => ({
  PATH: [programs.git.replace(/\/[^/]*$/, ''), '/usr/bin', '/bin'].join(':'),
  HOME: home,
  TMPDIR: home,
  // Rules parse git's messages, so they must be in English.
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: `${home}/.gitconfig`,
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ALLOW_PROTOCOL: 'https:ssh',
  GIT_PROTOCOL_FROM_USER: '0',
  GIT_SSH_VARIANT: 'ssh',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_NO_LAZY_FETCH: '1',
  GIT_OPTIONAL_LOCKS: '0',
});

/** Quotes a text as one word for a shell. */
const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
