import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { PostgresStartError } from './postgres-start-error.ts';

/** A running program of PostgreSQL. */
export interface RunningProgram {
  /** 0 when it could not be started at all. */
  readonly pid: number;
  /** Resolves with why it ended; never rejects. */
  readonly exited: Promise<Exit>;
  /** Set once it ended. */
  readonly exit: Exit | undefined;
}

/** Takes each line that a program writes to its log. */
export type LogSink = ((line: string) => void) | undefined;

export interface Exit {
  readonly command: string;
  /** Exit code, or the error code of a program that could not be started (`ENOENT`). */
  readonly code: number | string;
  /** The last lines of its output. */
  readonly log: readonly string[];
}

const kept_lines = 8;
const output_wait_ms = 200;
const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Starts a program in a process group of its own, so that Ctrl-C in the terminal leaves it to us to stop it. */
export async function run(
  program: string,
  args: readonly string[],
  options: { env: Readonly<Record<string, string>>; onLog?: LogSink },
): Promise<RunningProgram> {
  const [command, ...rest] = await asOrdinaryUser([program, ...args]);
  const child = spawn(command, rest, {
    cwd: '/',
    detached: true,
    // LC_ALL keeps macOS from starting a thread inside the server, which it refuses.
    env: { PATH: path, LC_ALL: 'C', ...options.env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const log: string[] = [];
  createInterface(child.stderr).on('line', (line) => {
    log.push(line);
    if (log.length > kept_lines) log.shift();
    options.onLog?.(line);
  });
  let exit: Exit | undefined;
  const exited = new Promise<Exit>((resolve) => {
    const end = (code: number | string) => resolve((exit = { command, code, log }));
    child.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
    child.once('exit', (code, signal) => {
      const reason = code ?? signal ?? 'unknown';
      // 'close' comes once all output is read; children that outlive the program would delay it.
      child.once('close', () => end(reason));
      setTimeout(end, output_wait_ms, reason).unref();
    });
  });
  return {
    pid: child.pid ?? 0,
    exited,
    get exit() {
      return exit;
    },
  };
}

/**
 * PostgreSQL refuses root. As root the command runs in a user namespace in which root's files belong to an ordinary
 * user: no host capability is left, and what it writes still belongs to root on disk. `unshare` without `--fork`
 * becomes the command, so the child's pid is the program's own.
 */
async function asOrdinaryUser(
  command: readonly [string, ...string[]],
): Promise<readonly [string, ...string[]]> {
  if (process.getuid?.() !== 0) return command;
  const id = ordinaryUser(await readFile('/etc/passwd', 'utf8').catch(() => ''));
  return ['unshare', '--user', `--map-user=${id}`, `--map-group=${id}`, ...command];
}

/** User 1000 if it exists, else another that has a name: initdb looks its user up and fails without one. */
export function ordinaryUser(passwd: string): number {
  const ids = passwd.split('\n').map((line) => Number(line.split(':')[2]));
  return ids.includes(1000) ? 1000 : (ids.find((id) => id > 0) ?? 1000);
}

/** Explains why a program ended that should have kept running, or failed at its work. */
export function explainExit(what: string, { command, code, log }: Exit): PostgresStartError {
  const cannot_run = typeof code === 'string' && code.startsWith('E');
  if (command === 'unshare' && (cannot_run || log.some((line) => line.startsWith('unshare:')))) {
    return new PostgresStartError(
      `PostgreSQL does not run as root and "unshare" could not give it another user (${log.at(-1) ?? code}); ` +
        'start Roadstead as an ordinary user, or set DATABASE_URL.',
    );
  }
  if (cannot_run) {
    return new PostgresStartError(`${command} cannot be run here (${code}); set DATABASE_URL instead.`);
  }
  return new PostgresStartError(`${what} (${code})${log.length > 0 ? `: ${log.join('\n')}` : '.'}`);
}
