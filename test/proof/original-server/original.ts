import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { kept } from '@roadstead/testing/processes';

const run = promisify(execFile);
const MINUTES_5 = 300_000;
const graph = fileURLToPath(new URL('../../../packages/graph-host/fixtures/agents/gate.js', import.meta.url));
const program = fileURLToPath(new URL('original-server.ts', import.meta.url));

/** Its newest release, and what it was released with. */
const packages = [
  '@langchain/langgraph-api@1.5.1',
  '@langchain/langgraph@1.4.21',
  '@langchain/langgraph-checkpoint@1.1.6',
  '@langchain/langgraph-sdk@1.12.4',
  '@langchain/core@1.2.13',
  'typescript@5.9.3',
];

/** The original's server with the same graph, in memory; why it can't be had, in words. */
export async function startOriginal(): Promise<({ readonly url: string } & AsyncDisposable) | string> {
  try {
    const folder = await kept('langgraph-api-1.5.1', install);
    const project = await mkdtemp(join(folder, 'compared-'));
    await copyFile(graph, join(project, 'gate.js'));
    await writeFile(join(project, 'package.json'), '{ "type": "module" }');
    const child = spawn(process.execPath, [program, folder, project], {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, LANGSMITH_TRACING: 'false' },
    });
    const exited = once(child, 'exit');
    const port = await Promise.race([
      portOf(createInterface({ input: child.stdout })),
      exited.then(() => Promise.reject(new Error('it ended'))),
    ]);
    return {
      url: `http://127.0.0.1:${port}`,
      [Symbol.asyncDispose]: async () => {
        child.kill('SIGKILL');
        await exited;
        await rm(project, { recursive: true, force: true });
      },
    };
  } catch (error) {
    return `The original can't be tried: ${error instanceof Error ? error.message.slice(0, 300) : 'it is not there'}`;
  }
}

async function install(folder: string): Promise<void> {
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...packages], {
    cwd: folder,
    timeout: MINUTES_5,
  });
}

/** It logs to the same stream. */
async function portOf(lines: AsyncIterable<string>): Promise<string> {
  for await (const line of lines) {
    const port = /^port (\d+)$/.exec(line)?.[1];
    if (port !== undefined) return port;
  }
  throw new Error('it told no port');
}
