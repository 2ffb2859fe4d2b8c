import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../../test/support/platform.ts';

export interface LangsmithMcp extends AsyncDisposable {
  readonly url: string;
}

const READY_MS = 60_000;

/**
 * PyPI’s `langsmith-mcp-server` over streamable HTTP as its container runs it: one worker of uvicorn.
 * @param command its executable, beside which uvicorn is installed
 */
export async function startLangsmithMcp(command: string): Promise<LangsmithMcp> {
  const port = await freePort();
  const app = ['langsmith_mcp_server.server:app', '--host', '127.0.0.1', '--port', String(port)];
  const child = spawn(join(dirname(command), 'uvicorn'), [...app, '--log-level', 'warning'], {
    stdio: 'ignore',
    env: { ...process.env, FASTMCP_CHECK_FOR_UPDATES: 'off', LANGSMITH_TRACING: 'false' },
  });
  const exited = Promise.withResolvers<void>();
  let has_ended = false;
  child.once('error', exited.reject);
  void once(child, 'exit').then(() => {
    has_ended = true;
    exited.resolve();
  }, exited.reject);
  const url = `http://127.0.0.1:${port}`;
  const isReady = async () =>
    fetch(`${url}/health`).then(
      (answer) => answer.ok,
      () => false,
    );
  for (const until = performance.now() + READY_MS; !(await isReady());) {
    if (has_ended || performance.now() > until) throw new Error('langsmith-mcp-server did not start.');
    await Promise.race([wait(100), exited.promise]);
  }
  return {
    url: `${url}/mcp`,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      await exited.promise;
    },
  };
}
