import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../../test/support/platform.ts';

export interface Phoenix extends AsyncDisposable {
  readonly url: string;
}

const READY_MS = 120_000;

/** Arize Phoenix as it comes, on SQLite in a folder of its own. @param command its executable. */
export async function startPhoenix(command: string, folder: string): Promise<Phoenix> {
  const [port, grpc_port] = [await freePort(), await freePort()];
  const child = spawn(command, ['serve'], {
    stdio: 'ignore',
    env: {
      ...process.env,
      PHOENIX_WORKING_DIR: folder,
      PHOENIX_HOST: '127.0.0.1',
      PHOENIX_PORT: String(port),
      PHOENIX_GRPC_PORT: String(grpc_port),
      PHOENIX_TELEMETRY_ENABLED: 'false',
    },
  });
  const exited = once(child, 'exit');
  const url = `http://127.0.0.1:${port}`;
  const isReady = async () =>
    fetch(`${url}/v1/projects`).then(
      (answer) => answer.ok,
      () => false,
    );
  for (const until = performance.now() + READY_MS; !(await isReady());) {
    if (child.exitCode !== null || performance.now() > until) throw new Error('Phoenix did not start.');
    await wait(200);
  }
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
