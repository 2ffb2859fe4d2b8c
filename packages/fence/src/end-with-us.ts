import { spawn } from 'node:child_process';

/** Reads a pipe that says nothing: it breaks when its other end does. */
const WATCH = 'read -r _; kill -KILL "-$1"';

/**
 * Ends a process group when this process is gone, however it went: also one that is too busy to see its own pipe break.
 * Disposing lets the group live; do so once it has ended, since its number may be another's then.
 * @param leader the id of the group's first process.
 */
export function endWithUs(leader: number): Disposable {
  // A group of its own, which whoever ends ours leaves alone.
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
