import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { BENCH_AGENT } from './roadstead.ts';

const program = fileURLToPath(new URL('langgraph-api-server.ts', import.meta.url));

export interface LangGraphApi extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
}

/** `@langchain/langgraph-api` as it is installed in a folder, with a graph of the bench, in memory. */
export async function startLangGraphApi(
  folder: string,
  { file = 'graph.js', workers = 32 }: { readonly file?: string; readonly workers?: number } = {},
): Promise<LangGraphApi> {
  const project = await mkdtemp(join(folder, 'bench-'));
  await copyFile(join(BENCH_AGENT, file), join(project, 'graph.js'));
  const child = spawn(process.execPath, [program, folder, project, `${workers}`], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, BENCH_UNTRACED: '1' },
  });
  const exited = once(child, 'exit');
  const port = await Promise.race([
    portOf(createInterface({ input: child.stdout })),
    exited.then(() => Promise.reject(new Error('langgraph-api did not start'))),
  ]);
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await exited;
      await rm(project, { recursive: true, force: true });
    },
  };
}

/** It logs to the same stream. */
async function portOf(lines: AsyncIterable<string>): Promise<string> {
  for await (const line of lines) {
    const port = /^port (\d+)$/.exec(line)?.[1];
    if (port !== undefined) return port;
  }
  throw new Error('langgraph-api told no port');
}
