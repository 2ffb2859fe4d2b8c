import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface SuiteOptions {
  /** A checkout of the SDK's repository. */
  readonly suite: string;
  /** Where packages are installed and tests are laid out; kept, so that the next time is quick. */
  readonly folder: string;
  /** Only tests whose name fits. */
  readonly pattern: string | undefined;
  readonly env: NodeJS.ProcessEnv;
}

/** Runs a command that has to succeed. */
export async function command([name = '', ...args]: readonly string[], cwd: string): Promise<string> {
  const { stdout } = await run(name, args, { cwd, timeout: 600_000, maxBuffer: 67_108_864 });
  return stdout;
}
