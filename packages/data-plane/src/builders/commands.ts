import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { Problem } from '@roadstead/kit';

export interface CommandOptions {
  readonly command: string;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly prefix: readonly string[];
  readonly onLine: (line: string, level: 'INFO' | 'WARNING') => void;
  readonly signal: AbortSignal;
}

/** Runs a shell command in a process group of its own, which ends as a whole. Rejects with how it ended. */
export async function runCommand({
  command,
  cwd,
  environment,
  prefix,
  onLine,
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
  signal.addEventListener('abort', kill);
  createInterface({ input: child.stdout }).on('line', (line) => onLine(line, 'INFO'));
  createInterface({ input: child.stderr }).on('line', (line) => onLine(line, 'WARNING'));
  const how = await new Promise<string | undefined>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, by) =>
      resolve(code === 0 ? undefined : by === null ? `exit code ${String(code)}` : `signal ${by}`),
    );
  });
  signal.removeEventListener('abort', kill);
  kill();
  signal.throwIfAborted();
  if (how !== undefined) throw new Problem('invalid', `\`${command}\` failed with ${how}.`);
}

/** What an operator may have set for reaching a package registry; nothing else of our environment reaches a build. */
const REGISTRY_VARIABLES =
  /^(https?_proxy|no_proxy|node_extra_ca_certs|ssl_cert_(file|dir)|npm_config_(registry|.*:registry|.*:_auth.*|_auth.*|cafile|https?_proxy|proxy|noproxy|strict_ssl))$/i;

export function registryEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value !== undefined && REGISTRY_VARIABLES.test(name) ? [[name, value]] : [],
    ),
  );
}
