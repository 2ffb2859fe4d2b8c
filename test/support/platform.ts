import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '@roadstead/testing/processes';
import { startReplicatedPlatform } from './replicas/replicated-platform.ts';
import { environment, launcher, runCommand } from './run-command.ts';
import type { PlatformOptions, RunningPlatform } from './running-platform.ts';

export { type DataHome, dataHome, freePort, processesOf } from '@roadstead/testing/processes';
export { type CommandResult, runCommand } from './run-command.ts';
export type { RunningPlatform } from './running-platform.ts';

/** The real command line and the real platform, on a free port and a data folder of their own. */

/** Whether platforms are two processes of each service. */
export const is_replicated = process.env['ROADSTEAD_TEST_REPLICAS'] === '1';

/**
 * Starts the platform and waits until it says that it is ready, or how it failed. Where ROADSTEAD_TEST_REPLICAS is set,
 * that is two processes of each service in place of one command.
 */
export async function startPlatform(folder: string, options: PlatformOptions = {}): Promise<RunningPlatform> {
  if (is_replicated) return startReplicatedPlatform(folder, options);
  const port = options.port ?? (await freePort());
  // Most tests look at no page; those that do ask for the console.
  const env = environment({
    ROADSTEAD_DATA_DIR: folder,
    PORT: String(port),
    ROADSTEAD_CONSOLE: 'false',
    ...options.env,
  });
  const child = spawn(
    process.execPath,
    ['--max-semi-space-size=32', launcher, 'up', ...(options.args ?? [])],
    {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes: Buffer) => (output += bytes.toString()));
  const exited = new Promise<number>((done) =>
    child.once('exit', (code, signal) => done(code ?? (signal === 'SIGKILL' ? 137 : 1))),
  );
  const marker = options.args?.includes('--example') === true ? 'Ctrl-C stops everything' : 'ready at';
  const ended = await Promise.race([exited, said(child, () => output.includes(marker))]);
  if (typeof ended === 'number') throw new Error(`up ended with ${ended}: ${output}`);
  const url = `http://127.0.0.1:${port}`;
  const key = (await readFile(join(folder, 'api-key'), 'utf8')).trim();
  return {
    url,
    key,
    folder,
    pid: child.pid ?? 0,
    output: () => output,
    fetch: (input, init) =>
      fetch(input, {
        ...init,
        headers: { ...Object.fromEntries(new Headers(init?.headers)), 'x-api-key': key },
      }),
    run: (...args) => runCommand(args, env),
    stop: async () => {
      child.kill('SIGTERM');
      return exited;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      await exited;
    },
  };
}

async function said(child: ChildProcess, condition: () => boolean): Promise<void> {
  await new Promise<void>((done) => {
    const look = () => condition() && done();
    child.stdout?.on('data', look);
    child.stderr?.on('data', look);
  });
}

let messages = 0;

/** A call of A2A, as curl would make it. */
export async function callA2a(
  platform: Pick<RunningPlatform, 'url' | 'fetch'>,
  slug: string,
  method: string,
  params: object,
  more: object = {},
) {
  const answer = await platform.fetch(`${platform.url}/agents/${slug}/a2a/agent`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: '1', method, params, ...more }),
  });
  return (await answer.json()) as { result: SentTask; error?: { code: number; message: string } };
}

export interface SentTask {
  readonly id: string;
  readonly contextId: string;
  readonly status: {
    readonly state: string;
    readonly message?: { readonly parts: readonly { readonly text?: string }[] };
  };
  readonly artifacts: readonly { readonly parts: readonly { readonly text?: string }[] }[];
}

export function userMessage(text: string, more: object = {}) {
  messages += 1;
  return {
    message: {
      kind: 'message',
      role: 'user',
      messageId: `story-${process.pid}-${messages}`,
      parts: [{ kind: 'text', text }],
      ...more,
    },
  };
}

export const answerOf = (task: SentTask) =>
  task.artifacts[0]?.parts.map((part) => part.text ?? '').join('') ?? '';
