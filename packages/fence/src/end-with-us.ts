import { spawn } from 'node:child_process';

/** Reads a pipe on which nothing is sent, and which closes when the process at its other end is gone. */
const WATCH = 'read -r _; kill -KILL "-$1"';

/**
 * Ends a process group when this process is gone, however it ended, even if the group is too busy to notice a closed
 * pipe itself. Dispose of it once the group has ended, since its id may be reused.
 * @param leader the id of the group's first process.
 */
export function endWithUs(leader: number): Disposable {
  // The watcher has a group of its own, which a signal to ours does not reach.
  const watcher = spawn('/bin/sh', ['-c', WATCH, 'sh', String(leader)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    env: {},
  });
  watcher.on('error', () => undefined);
  watcher.stdin.on('error', () => undefined);
  watcher.unref();
  return { [Symbol.dispose]: () => void watcher.kill('SIGKILL') };
}
