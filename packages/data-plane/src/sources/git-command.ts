import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createMask } from '@roadstead/agent-server';
import type { SourceCredentials } from '@roadstead/contracts/control-plane';
import type { GitAddress } from '@roadstead/contracts/git';
import type { ProgramEnd, Fence } from '@roadstead/fence';
import { Problem, readLines } from '@roadstead/kit';
import type { ConnectProxy, Pass } from '@roadstead/outbound';
import { removeTree } from '../folders/remove-tree.ts';
import {
  basicOf,
  gitConfigOf,
  gitEnvironment,
  type GitPrograms,
  type GitSetup,
  knownHostsPath,
  proxyFileOf,
  sshConfigOf,
  sshConfigPath,
  sshKeyPath,
  proxyPath,
} from './git-config-rules.ts';
import { type GitVerdict, judgeGitFailure, redirectProblem, redirectTarget } from './git-failure-rules.ts';
import { SourceAway } from '../ports/source-away.ts';

/** The environment of git on this machine. */
export interface GitContext {
  readonly fence: Fence;
  readonly proxy: ConnectProxy;
  readonly programs: GitPrograms;
  /** The limit of one fetch, in bytes on the network. */
  readonly max_bytes: number;
  /** Certificates to trust instead of the system's. */
  readonly ca_file?: string | undefined;
}

export interface GitUse {
  readonly address: GitAddress;
  readonly credentials: SourceCredentials | null;
  /** A folder that doesn't exist yet, for git's HOME; it is removed at the end. */
  readonly home: string;
  /** Called with git's messages about a failure, without secrets. */
  readonly onLine?: (line: string) => void;
  readonly signal: AbortSignal;
}

interface Run {
  /** Folders that it may write to, beside its HOME, in which it runs. */
  readonly writes: readonly string[];
  /** Called with its output in pieces; without it the output is in the answer. */
  readonly onOutput?: (text: string) => void;
  readonly environment?: Readonly<Record<string, string>>;
  /** Ends this run alone. */
  readonly signal?: AbortSignal;
}

interface CommandResult {
  readonly ended: ProgramEnd;
  readonly output: string;
  readonly errors: string;
}

/** The limit of virtual memory, in kB: a pack may unpack to any size. */
const MAX_MEMORY_KB = 4_194_304;
const LIMITED = `ulimit -S -v ${MAX_MEMORY_KB} 2>/dev/null; exec "$@"`;
const MAX_TEXT = 1_048_576;

/**
 * One use of git on one repository: behind the fence, with credentials and connections of its own, until it is
 * disposed of.
 */
export class Git implements AsyncDisposable {
  readonly #context: GitContext;
  readonly #use: GitUse;
  readonly #pass: Pass;
  readonly #mask: (text: string) => string;
  /** The address that git gets; a repository that has only moved by a suffix keeps the corrected one. */
  #url: string;

  static async open(context: GitContext, use: GitUse): Promise<Git> {
    checkCredentials(use, context);
    const { host, port } = use.address;
    const git = new Git(context, use, context.proxy.admit({ host, port, max_bytes: context.max_bytes }));
    await using stack = new AsyncDisposableStack();
    stack.use(git);
    await git.#writeFiles();
    stack.move();
    return git;
  }

  private constructor(context: GitContext, use: GitUse, pass: Pass) {
    this.#context = context;
    this.#use = use;
    this.#pass = pass;
    this.#url = use.address.url;
    this.#mask = createMask(() => [secretsOf(use.credentials), { PASS: pass.password }]);
  }

  /** Runs git where it needs no connection. @throws Problem when it fails. */
  async run(args: readonly string[], run: Run): Promise<string> {
    const { ended, output, errors } = await this.#start(args, run);
    if (isDone(ended)) return output;
    const problem = this.#verdict(errors);
    throw problem.kind === 'refused' ? problem.problem : new Error(`git ${args[0] ?? ''} failed: ${errors}`);
  }

  /**
   * Runs git with the repository's address, for which `args` has a place.
   * @throws Problem that describes what is wrong with the address, the credentials or the repository; `SourceAway`
   * where a retry may help.
   */
  async ask(args: (url: string) => readonly string[], run: Run): Promise<GitAnswer> {
    const { ended, output, errors } = await this.#start(args(this.#url), run);
    if (isDone(ended)) return { kind: 'answered', output };
    const verdict = this.#verdict(errors);
    if (verdict.kind === 'no such commit') return verdict;
    for (const line of errors.split('\n')) if (line !== '') this.#use.onLine?.(this.#shown(line));
    if (verdict.kind === 'refused') throw verdict.problem;
    if (verdict.kind === 'away') throw new SourceAway(verdict.problem);
    const to = await this.#redirect(args(this.#url), run);
    // Some hosts know a repository only by its name with the suffix.
    if (to !== `${this.#use.address.url}.git` || this.#url === to)
      throw redirectProblem(this.#use.address, to);
    this.#url = to;
    return this.ask(args, run);
  }

  get address(): GitAddress {
    return this.#use.address;
  }

  /** The bytes that came over the network. */
  get received(): number {
    return this.#pass.received;
  }

  /** Closes all connections, and removes the credentials. */
  async disconnect(): Promise<void> {
    this.#pass[Symbol.dispose]();
    await removeTree(this.#use.home);
    await mkdir(this.#use.home, { mode: 0o700 });
    await this.#writeConfig(null);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#pass[Symbol.dispose]();
    await removeTree(this.#use.home);
  }

  async #writeFiles(): Promise<void> {
    const { home, credentials } = this.#use;
    await mkdir(home, { recursive: true, mode: 0o700 });
    const setup = await this.#writeConfig(credentials);
    if (this.#use.address.transport === 'https') return;
    const key = credentials?.kind === 'ssh_key' ? credentials : undefined;
    await own(sshConfigPath(home), sshConfigOf(setup));
    await own(proxyPath(home), proxyFileOf(setup));
    await own(knownHostsPath(home), lines(key?.known_hosts ?? ''));
    if (key !== undefined) await own(sshKeyPath(home), lines(key.private_key));
  }

  async #writeConfig(credentials: SourceCredentials | null): Promise<GitSetup> {
    const { programs, proxy, ca_file } = this.#context;
    const { home, address } = this.#use;
    const { username, password } = this.#pass;
    const access = { port: proxy.port, username, password };
    const setup = { home, address, credentials, proxy: access, programs, ca_file };
    await own(join(home, '.gitconfig'), gitConfigOf(setup));
    return setup;
  }

  /** Where the host redirects to: git prints that only where it logs what it received. */
  async #redirect(args: readonly string[], run: Run): Promise<string | undefined> {
    const { home, address } = this.#use;
    const trace = join(home, 'trace');
    const environment = { GIT_TRACE_CURL: trace, GIT_TRACE_CURL_NO_DATA: '1', GIT_TRACE_REDACT: '1' };
    await this.#start(args, { ...run, environment });
    const text = await readFile(trace, 'utf8').catch(() => '');
    const [, location] = /<= Recv header: location: (\S+)/i.exec(text) ?? [];
    return location === undefined ? undefined : redirectTarget(location, address);
  }

  #verdict(output: string): GitVerdict {
    const { address, credentials } = this.#use;
    const { trouble } = this.#pass;
    const { max_bytes } = this.#context;
    return judgeGitFailure({
      address,
      credentials: credentials?.kind ?? null,
      output: this.#shown(output),
      trouble,
      max_bytes,
    });
  }

  /** Removes secrets, and paths of this machine. */
  #shown(output: string): string {
    return this.#mask(output).replaceAll(this.#use.home, '');
  }

  async #start(
    args: readonly string[],
    { writes, onOutput, environment, ...run }: Run,
  ): Promise<CommandResult> {
    const { fence, programs, ca_file } = this.#context;
    const { home } = this.#use;
    const signal = AbortSignal.any([this.#use.signal, ...(run.signal === undefined ? [] : [run.signal])]);
    signal.throwIfAborted();
    const running = fence.start({
      command: ['/bin/sh', '-c', LIMITED, 'sh', programs.git, ...args],
      cwd: home,
      environment: { ...gitEnvironment(home, programs), ...environment },
      reads: [programs.ssh_connect, ...(ca_file === undefined ? [] : [ca_file])],
      writes: [...writes, home],
      home,
      pipes: 2,
    });
    const kill = () => running.kill();
    signal.addEventListener('abort', kill);
    const { stdout, stderr } = running.child;
    let output = '';
    const errors: string[] = [];
    stdout?.setEncoding('utf8').on('data', (text: string) => {
      if (onOutput !== undefined) onOutput(text);
      else if (output.length < MAX_TEXT) output += text;
    });
    if (stderr !== null) readLines(stderr, { onLine: (line) => errors.length < 200 && errors.push(line) });
    const ended = await running.ended;
    signal.removeEventListener('abort', kill);
    signal.throwIfAborted();
    return { ended, output, errors: errors.join('\n') };
  }
}

export type GitAnswer =
  | { readonly kind: 'answered'; readonly output: string }
  | Extract<GitVerdict, { readonly kind: 'no such commit' }>;

const isDone = (ended: ProgramEnd): boolean => ended.kind === 'exited' && ended.code === 0;

/** Readable only for our own user. */
const own = (path: string, text: string) => writeFile(path, text, { mode: 0o600 });

const lines = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`);

function secretsOf(credentials: SourceCredentials | null): Record<string, string> {
  if (credentials === null) return {};
  return credentials.kind === 'token'
    ? { TOKEN: credentials.token, BASIC: basicOf(credentials) }
    : { KEY: credentials.private_key };
}

function checkCredentials({ address, credentials }: GitUse, { programs }: GitContext): void {
  const { transport, url } = address;
  if (transport === 'ssh' && programs.ssh === undefined)
    throw new Problem('invalid', `This machine has no program ssh, by which ${url} is fetched.`, {
      code: 'git_program_missing',
      hint: 'Give the https address of the repository, or install ssh.',
    });
  const fitting = transport === 'ssh' ? 'ssh_key' : 'token';
  if (credentials === null || credentials.kind === fitting) return;
  const [has, needs] = transport === 'ssh' ? ['a token', 'a deploy key'] : ['a deploy key', 'a token'];
  throw new Problem('invalid', `The integration holds ${has}, but ${url} is fetched with ${needs}.`, {
    code: 'git_credentials_unfit',
    hint: `Give the ${transport === 'ssh' ? 'https' : 'ssh'} address of the repository, or another integration.`,
  });
}
