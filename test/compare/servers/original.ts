import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort, kept } from '@roadstead/testing/processes';
import { projects } from '../projects/projects.ts';
import type { ComparedServer } from './address.ts';

/** `langgraph dev` of PyPI, in memory, with both projects; each is a process of its own. */

const run = promisify(execFile);
const MINUTES_5 = 300_000;

/** What the original is, and what its clients are. */
export const packages = [
  'langgraph-cli[inmem]==0.4.40',
  'langgraph-api==0.16.7',
  'langgraph-runtime-inmem==0.36.7',
  'langgraph-sdk==0.4.14',
  'langgraph==1.2.24',
  'langchain-core==1.8.3',
];

/** The Python of the projects with all of it, installed once; or why it can't be had, in words. */
export async function originalPython(): Promise<{ readonly python: string } | string> {
  const name = `langgraph-dev-${packages.map((one) => one.split('==')[1]).join('-')}`;
  try {
    const folder = await kept(name, async (part) => {
      await run('python3.11', ['-m', 'venv', '--copies', part]);
      const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages];
      await run(join(part, 'bin/python'), install, { timeout: MINUTES_5 });
    });
    return { python: join(folder, 'bin', 'python') };
  } catch (error) {
    return `langgraph dev can't be tried: ${error instanceof Error ? error.message.slice(0, 300) : 'it is not there'}`;
  }
}

export async function startOriginal(python: string): Promise<ComparedServer> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'roadstead-compare-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const [open, guarded] = await Promise.all([
    serve(python, { project: 'open', folder, stack }),
    serve(python, { project: 'guarded', folder, stack }),
  ]);
  const opened = stack.move();
  return { addresses: { open, guarded }, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

interface ServedProject {
  readonly project: 'open' | 'guarded';
  readonly folder: string;
  readonly stack: AsyncDisposableStack;
}

/** It keeps its state in the folder of the project, so that this is a copy without the state of another. */
async function serve(python: string, { project, folder, stack }: ServedProject): Promise<{ url: string }> {
  const port = await freePort();
  const cwd = join(folder, project);
  await cp(projects[project], cwd, {
    recursive: true,
    filter: (path) => basename(path) !== '.langgraph_api',
  });
  const options = ['--no-browser', '--no-reload', '--n-jobs-per-worker', '10', '--host', '127.0.0.1'];
  const child = spawn(python, ['-m', 'langgraph_cli', 'dev', ...options, '--port', String(port)], {
    cwd,
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      LANGSMITH_TRACING: 'false',
      LANGGRAPH_CLI_NO_ANALYTICS: '1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes: Buffer) => (said = (said + bytes.toString()).slice(-4000)));
  const exited = once(child, 'exit');
  stack.defer(async () => {
    child.kill('SIGTERM');
    await exited;
  });
  const url = `http://127.0.0.1:${port}`;
  while (!(await answers(url))) {
    if (child.exitCode !== null) throw new Error(`langgraph dev ended: ${said}`);
    await after(200);
  }
  return { url };
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/ok`)).ok;
  } catch {
    return false;
  }
}
