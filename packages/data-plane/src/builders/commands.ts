import { spawn } from 'node:child_process';
import { endWithUs, Problem, readLines } from '@roadstead/kit';
import { isNpmError, npmCause } from './npm-cause-rules.ts';

export interface CommandOptions {
  readonly command: string;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly prefix: readonly string[];
  readonly onLine: (line: string, level: 'INFO' | 'WARNING') => void;
  /** Hides secrets in what it prints. */
  readonly mask?: (text: string) => string;
  readonly signal: AbortSignal;
}

const LAST_OUTPUT_MS = 2000;
const MAX_NPM_ERRORS = 50;
/** What a shell says of a program that it does not find. */
const NOT_FOUND = 'exit code 127';

/** Runs a shell command in a process group of its own, which ends as a whole. Rejects with how it ended. */
export async function runCommand({
  command,
  cwd,
  environment,
  prefix,
  onLine,
  mask = (text) => text,
  signal,
}: CommandOptions): Promise<void> {
  signal.throwIfAborted();
  const [program, ...args] = [...prefix, '/bin/sh', '-c', command];
  const child = spawn(program, args, {
    cwd,
    env: { ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const kill = () => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended already.
    }
  };
  const watch = child.pid === undefined ? undefined : endWithUs(child.pid);
  signal.addEventListener('abort', kill);
  readLines(child.stdout, { mask, onLine: (line) => onLine(line, 'INFO') });
  const npm_errors: string[] = [];
  const onError = (line: string) => {
    if (npm_errors.length < MAX_NPM_ERRORS && isNpmError(line)) npm_errors.push(line);
    onLine(line, 'WARNING');
  };
  readLines(child.stderr, { mask, onLine: onError });
  const how = await new Promise<string | undefined>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, by) => {
      const sentence = code === 0 ? undefined : by === null ? `exit code ${String(code)}` : `signal ${by}`;
      // What the command left running holds its output open.
      kill();
      watch?.[Symbol.dispose]();
      child.once('close', () => resolve(sentence));
      setTimeout(resolve, LAST_OUTPUT_MS, sentence).unref();
    });
  });
  signal.removeEventListener('abort', kill);
  signal.throwIfAborted();
  if (how !== undefined) throw failure(command, how, npmCause(npm_errors));
}

function failure(command: string, how: string, cause: string | undefined): Problem {
  const hint = `The build log says more. \`${command.split(' ')[0] ?? ''}\` must be installed on this machine.`;
  return new Problem(
    'invalid',
    `\`${command}\` failed with ${how}${cause === undefined ? '' : `: ${cause}`}.`,
    how === NOT_FOUND ? { hint } : { hint: 'The build log says more.' },
  );
}
