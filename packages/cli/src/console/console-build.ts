import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';

/** A checkout has the builder of the console; the package has what it built. */
const BUILDER = fileURLToPath(new URL('../../../../bin/console.mjs', import.meta.url));

/** What the builder of this process does; `elsewhere` where this process has none. */
export type BuildState = 'elsewhere' | 'running' | 'done' | 'failed';

let state: BuildState = 'elsewhere';
export const buildState = (): BuildState => state;

/**
 * Brings the console of a checkout up to date, beside everything else and after it: the platform is ready before. A build
 * that fails leaves the console that was there.
 */
export function buildConsole(onFailure: (why: string) => void): Disposable {
  if (!existsSync(BUILDER)) return { [Symbol.dispose]: () => {} };
  const child = spawn(process.execPath, [BUILDER], { stdio: ['ignore', 'ignore', 'pipe'] });
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  state = 'running';
  let said = '';
  const fail = (why: string) => {
    state = 'failed';
    onFailure(why);
  };
  child.stderr.on('data', (bytes: Buffer) => (said = (said + bytes.toString()).slice(-2000)));
  child.once('error', (error) => fail(error.message));
  child.once('exit', (code, signal) => {
    if (code === 0) state = 'done';
    else if (signal === null) fail(said.trim());
  });
  return { [Symbol.dispose]: () => void child.kill() };
}
