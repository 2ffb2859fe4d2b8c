import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort, kept, pythonTools } from '@roadstead/testing/processes';
import { ensureDatabase, openDatabase } from '../../packages/postgres/src/index.ts';
import { startEmbeddedPostgres } from '../../packages/postgres-server/src/index.ts';
import { originalPython } from '../../test/compare/servers/original.ts';
import { dataHome } from '../../test/support/platform.ts';
import { PYTHON_AGENT } from './roadstead.ts';

/** Servers from PyPI that run the graphs of the bench, each in a process of its own. */
export interface PythonPeer extends AsyncDisposable {
  readonly url: string;
}

const run = promisify(execFile);
const MINUTES_5 = 300_000;
const LOOK_MS = 200;
/** With the packages of the bench's agent. */
const AEGRA = ['aegra-api==0.11.0', 'aegra-cli==0.11.0', 'langgraph==1.2.24', 'langchain-core==1.8.3'];
const AEGRA_PYTHON = '>=3.12,<3.15';

/** `langgraph dev`, in memory, with as many runs at once as there are callers; or why it can't be had. */
export async function startLangGraphDev(): Promise<PythonPeer | string> {
  const original = await originalPython();
  if (typeof original === 'string') return original;
  const options = ['--no-browser', '--no-reload', '--n-jobs-per-worker', '32', '--host', '127.0.0.1'];
  await using stack = new AsyncDisposableStack();
  return serve(stack.move(), {
    command: [original.python, '-m', 'langgraph_cli', 'dev', ...options],
    env: { LANGGRAPH_CLI_NO_ANALYTICS: '1' },
    health: '/ok',
  });
}

/** Aegra on a PostgreSQL of the version and settings of ours, or why it can't be had. */
export async function startAegra(): Promise<PythonPeer | string> {
  const python = await aegraPython();
  if (typeof python === 'string') return python;
  await using stack = new AsyncDisposableStack();
  const home = stack.use(await dataHome());
  const postgres = stack.use(await startEmbeddedPostgres({ folder: join(home.path, 'postgres') }));
  const admin = stack.use(openDatabase({ url: postgres.url('postgres'), max: 1, name: 'bench' }));
  await ensureDatabase(admin, { name: 'aegra' });
  return serve(stack.move(), {
    command: [python.python, '-c', 'from aegra_cli.cli import cli; cli()', 'serve', '--host', '127.0.0.1'],
    env: {
      DATABASE_URL: postgres.url('aegra'),
      AUTH_TYPE: 'noop',
      REDIS_BROKER_ENABLED: 'false',
      LOG_LEVEL: 'WARNING',
    },
    health: '/health',
  });
}

async function aegraPython(): Promise<{ readonly python: string } | string> {
  const tools = await pythonTools();
  if (typeof tools === 'string') return tools;
  try {
    const { executable } = await tools.pythons.provide(AEGRA_PYTHON, AbortSignal.timeout(MINUTES_5));
    const folder = await kept('aegra-0.11.0-1.2.24-1.8.3', async (part) => {
      await run(executable, ['-m', 'venv', '--copies', part]);
      const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...AEGRA];
      await run(join(part, 'bin/python'), install, { timeout: MINUTES_5 });
    });
    return { python: join(folder, 'bin', 'python') };
  } catch (error) {
    return `Aegra can't be tried: ${error instanceof Error ? error.message.slice(0, 300) : 'it is not there'}`;
  }
}

interface PeerProgram {
  readonly command: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  /** The address that answers once it serves. */
  readonly health: string;
}

/** Serves a copy of the agent, in which it may write; what the stack holds ends after it. */
async function serve(
  opened: AsyncDisposableStack,
  { command, env, health }: PeerProgram,
): Promise<PythonPeer> {
  await using stack = opened;
  const cwd = await mkdtemp(join(tmpdir(), 'roadstead-peer-'));
  stack.defer(() => rm(cwd, { recursive: true, force: true }));
  await cp(PYTHON_AGENT, cwd, { recursive: true });
  await writeFile(join(cwd, 'aegra.json'), JSON.stringify({ graphs: { graph: './graph.py:graph' } }));
  const port = await freePort();
  const [program, ...words] = command;
  const child = spawn(program, [...words, '--port', String(port)], {
    cwd,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], LANGSMITH_TRACING: 'false', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes: Buffer) => (said = (said + bytes.toString()).slice(-4000)));
  const exited = once(child, 'exit');
  stack.defer(async () => {
    // Some start the server as a child.
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
    await exited;
  });
  const url = `http://127.0.0.1:${port}`;
  while (!(await answers(url + health))) {
    if (child.exitCode !== null) throw new Error(`${program} ended: ${said}`);
    await pause(LOOK_MS);
  }
  const moved = stack.move();
  return { url, [Symbol.asyncDispose]: () => moved.disposeAsync() };
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}
