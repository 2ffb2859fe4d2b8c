import type { GitAddress } from '@roadstead/contracts/git';
import { Problem } from '@roadstead/kit';

/** Connection errors, as the proxy saw them. */
type ConnectionTrouble =
  | { readonly kind: 'refused'; readonly problem: Problem }
  | { readonly kind: 'unknown host' }
  | { readonly kind: 'away'; readonly code: string }
  | { readonly kind: 'too large' }
  | { readonly kind: 'idle' };

/** A failed use of git. */
export interface GitFailure {
  readonly address: GitAddress;
  readonly credentials: 'token' | 'ssh_key' | null;
  /** The output of git and ssh. */
  readonly output: string;
  readonly trouble: ConnectionTrouble | undefined;
  readonly max_bytes: number;
}

/** `away`: a retry may succeed later. `redirected`: the new address is not known yet. */
export type GitVerdict =
  | { readonly kind: 'refused'; readonly problem: Problem }
  | { readonly kind: 'away'; readonly problem: Problem }
  | { readonly kind: 'redirected' }
  /** The answer where a commit was asked for by its id. */
  | { readonly kind: 'no such commit'; readonly isHidden: boolean };

type Rule = readonly [sign: RegExp, judge: (failure: GitFailure, found: RegExpExecArray) => GitVerdict];

const refused = (code: string, message: string, hint?: string): GitVerdict => ({
  kind: 'refused',
  problem: new Problem('invalid', message, { code, ...(hint === undefined ? {} : { hint }) }),
});

const away = (message: string): GitVerdict => ({
  kind: 'away',
  problem: new Problem('unavailable', message, { code: 'git_host_away' }),
});

const TOKEN = 'Give source_config.integration_id an integration whose token may read it.';
const KEY = 'Give source_config.integration_id an integration whose deploy key the repository knows.';

/** Without credentials a host denies that a private repository exists. */
const unknownRepository: Rule[1] = ({ address, credentials }) =>
  refused(
    'git_repository_unknown',
    credentials === null
      ? `There is no repository at ${address.url} that anybody may read.`
      : `There is no repository at ${address.url}, or the credentials of its integration may not read it.`,
    credentials === null ? `If it is private: ${address.transport === 'ssh' ? KEY : TOKEN}` : undefined,
  );

const unauthenticated: Rule[1] = ({ address, credentials }) => {
  const { url, host, transport } = address;
  if (credentials === null)
    return refused(
      'git_authentication_needed',
      `${url} can't be read without credentials.`,
      transport === 'ssh' ? KEY : TOKEN,
    );
  const what = credentials === 'token' ? 'token' : 'deploy key';
  return refused(
    'git_credentials_refused',
    `${host} refuses the ${what} of the integration for ${url}.`,
    `The ${what} was revoked, has expired, or may not read this repository. Replace it in the integration.`,
  );
};

const untrusted: Rule[1] = ({ address }, found) =>
  refused(
    'git_tls_failed',
    `The TLS certificate of ${address.host} isn't trusted${found[1] === undefined ? '' : `: ${sentencePart(found[1])}`}.`,
    'Roadstead trusts the certificate authorities of the machine that it runs on.',
  );

/** In order: the first pattern that matches decides. */
const rules: readonly Rule[] = [
  [/returned error: 30[12378]\b/, () => ({ kind: 'redirected' })],
  [/unadvertised object|want [0-9a-f]+ not valid/, () => ({ kind: 'no such commit', isHidden: true })],
  [/not our ref|couldn't find remote ref/, () => ({ kind: 'no such commit', isHidden: false })],
  [
    /Load key .*: (.+)|no such identity/i,
    () =>
      refused(
        'git_key_unreadable',
        'The deploy key of the integration is no private key that OpenSSH reads without a passphrase.',
        'Give the whole file, from BEGIN to END, of a key without a passphrase.',
      ),
  ],
  [/could not read (?:Username|Password)|terminal prompts disabled/i, unauthenticated],
  [/Authentication failed|returned error: 40[13]\b|Permission denied \(/, unauthenticated],
  [
    /Host key verification failed|REMOTE HOST IDENTIFICATION HAS CHANGED|No \S+ host key is known/,
    ({ address }) =>
      refused(
        'git_host_key_mismatch',
        `${address.host} shows another host key than the integration's known_hosts has.`,
        'Find out whether the host has changed its key before you change known_hosts: somebody may be intercepting the connection.',
      ),
  ],
  [/SSL certificate problem: (.+)|server certificate verification failed/, untrusted],
  [/certificate (?:subject name|verify failed)|no alternative certificate subject name/i, untrusted],
  [
    /remote-https' is not a git command|cannot run (?:\S*ssh)|ssh: not found|unable to fork/,
    ({ address }) =>
      refused(
        'git_program_missing',
        `This machine has no program that fetches ${address.transport} addresses.`,
      ),
  ],
  [
    /returned error: 404|repository '?.*'? not found|Repository not found|does not appear to be a git repository/i,
    unknownRepository,
  ],
  [
    /project you were looking for could not be found|could not find repository|'.*': no such/i,
    unknownRepository,
  ],
  [
    /dumb http transport does not support|does not support shallow/,
    ({ address }) =>
      refused(
        'git_server_unsupported',
        `${address.host} serves this repository by a protocol that is too old.`,
      ),
  ],
  [
    /fsck error|(?:error in|object) (?:tree|blob|commit|tag)?\s*[0-9a-f]*:? ?\w*: contains|hasDot|badTree/,
    ({ address, output }) =>
      refused(
        'git_object_refused',
        `${address.url} holds an object that git refuses${fsckName(output)}.`,
        'Such names and objects are used in attacks on people who clone a repository.',
      ),
  ],
  [
    /Out of memory|File size limit exceeded|exceeds maximum allowed size/,
    ({ address }) =>
      refused('git_too_large', `${address.url} needs more memory to unpack than git may have.`),
  ],
  [
    /invalid path '(.+)'/,
    ({ address }, found) =>
      refused(
        'git_object_refused',
        `${address.url} holds a file that can't be written: ${sentencePart(found[1] ?? '')}.`,
      ),
  ],
  [
    /returned error: (?:429|5\d\d)/,
    ({ address }) => away(`${address.host} answers that it is busy or out of order.`),
  ],
  [
    /early EOF|unexpected disconnect|hung up unexpectedly|Recv failure|Empty reply|Connection (?:closed|reset)|kex_exchange|Could not resolve|Failed to connect|Connection timed out|TLS connect error|SSL_ERROR_SYSCALL|gnutls_handshake|RPC failed/,
    ({ address }) => away(`The connection to ${address.host} broke off.`),
  ],
  [/Could not read from remote repository/, unknownRepository],
];

/** Explains a failure to the deploying user. Git's output is repeated only where no rule knows it. */
export function judgeGitFailure(failure: GitFailure): GitVerdict {
  return byConnection(failure) ?? byOutput(failure);
}

function byConnection({ trouble, address, max_bytes }: GitFailure): GitVerdict | undefined {
  const { host, url } = address;
  switch (trouble?.kind) {
    case undefined:
      return undefined;
    case 'refused':
      return { kind: 'refused', problem: trouble.problem };
    case 'unknown host':
      return refused(
        'git_host_unknown',
        `There is no host ${host}.`,
        'Is repo_url written as the host shows it?',
      );
    case 'too large':
      return refused(
        'git_too_large',
        `${url} is a repository above ${sizeText(max_bytes)}.`,
        'Only the commit that is deployed is fetched, without history: its files are that large.',
      );
    case 'away':
      return away(`${host} can't be reached (${trouble.code}).`);
    case 'idle':
      return away(`${host} fell silent.`);
    default:
      return trouble satisfies never;
  }
}

function byOutput(failure: GitFailure): GitVerdict {
  for (const [sign, judge] of rules) {
    const found = sign.exec(failure.output);
    if (found !== null) return judge(failure, found);
  }
  const said = failure.output
    .split('\n')
    .filter((line) => /^(?:fatal|error|ssh|remote):/.test(line))
    .at(-1);
  const why = said === undefined ? '' : `: ${sentencePart(said.replace(/^\w+: /, ''))}`;
  return refused('git_failed', `git could not fetch ${failure.address.url}${why}.`, 'See the build log.');
}

/**
 * The problem of a repository that has moved.
 * @param to where the host redirects; undefined when it doesn't say.
 */
export function redirectProblem({ url }: GitAddress, to: string | undefined): Problem {
  const where = to === undefined ? 'elsewhere' : `to ${to}`;
  return new Problem('invalid', `${url} redirects ${where}, which is not followed.`, {
    code: 'git_redirected',
    hint: 'Deploy from the address that the repository has now.',
  });
}

/**
 * The address of a redirect without the parts that belong to git's protocol, credentials or a query; undefined where
 * it is none.
 */
export function redirectTarget(location: string, { url }: GitAddress): string | undefined {
  const to = URL.parse(location, `${url}/info/refs`);
  if (to === null || !/^https?:$/.test(to.protocol)) return undefined;
  return `${to.origin}${to.pathname.replace(/\/info\/refs$/, '').replace(/\/+$/, '')}`.slice(0, 300);
}

const sizeText = (bytes: number): string =>
  bytes >= 1_000_000_000
    ? `${Number((bytes / 1_000_000_000).toFixed(1))} GB`
    : `${Math.round(bytes / 1000)} kB`;

function fsckName(output: string): string {
  const [, name] =
    /\b((?:has|bad|missing|null|full|zero|git|large|symlink|duplicate)[A-Z]\w+)\b/.exec(output) ?? [];
  return name === undefined ? '' : ` (${name})`;
}

/** Printable, short, and without a full stop. */
const sentencePart = (text: string): string =>
  text
    .replaceAll(/[^\P{C}]/gu, ' ')
    .trim()
    .slice(0, 200)
    .replace(/[.\s]+$/, '');
