import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The real command line, in an environment without variables of ours but those that are given. */

export const launcher = join(fileURLToPath(new URL('../../', import.meta.url)), 'bin', 'roadstead.mjs');

export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export function environment(more: Record<string, string>): NodeJS.ProcessEnv {
  const clean = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(ROADSTEAD_|LANGSMITH_|LANGCHAIN_|VITEST|NODE_ENV|PORT$|DATABASE_URL$)/.test(name),
    ),
  );
  return { ...clean, NO_COLOR: '1', ...more };
}

export function runCommand(
  args: readonly string[],
  env: NodeJS.ProcessEnv = environment({}),
): Promise<CommandResult> {
  const child = spawn(process.execPath, [launcher, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: tmpdir(),
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (bytes: Buffer) => (stdout += bytes.toString()));
  child.stderr.on('data', (bytes: Buffer) => (stderr += bytes.toString()));
  return new Promise((done) => child.once('close', (code) => done({ code: code ?? 1, stdout, stderr })));
}
