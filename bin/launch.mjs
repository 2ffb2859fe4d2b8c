// Runs the command with Node 24: in this process where it is that already, else with the one of the npm package `node`.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module, { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** @param main the command's entry file; @param from a file of the installation that has `node` among its packages. */
export async function launch(main, from) {
  // Goes when packages are installed anew; where it can't be written there is none.
  const cache = join(dirname(main), '..', '..', '..', 'node_modules', '.cache', 'roadstead');
  if (Number(process.versions.node.split('.')[0]) >= 24) {
    module.enableCompileCache(cache);
    await import(main);
    return;
  }
  const node = nodeOf(from);
  if (node === undefined) {
    process.stderr.write(
      'roadstead: it needs Node 24, and the npm package `node` that brings it is missing; install again, with scripts allowed.\n',
    );
    process.exit(1);
  }
  // The channel says nothing: it is there to break when we are killed, so that the command ends too.
  // Node takes some options of ours, such as --env-file, for its own, unless they stand behind `--`.
  const child = spawn(node, ['--max-semi-space-size=32', '--', main, ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { NODE_COMPILE_CACHE: cache, ...process.env },
  });
  // A terminal signals the whole group, a supervisor only us; the child tells the same signal twice from a second wish.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal === 'SIGKILL' ? 137 : 1);
  });
}

function nodeOf(from) {
  try {
    const node = join(dirname(createRequire(from).resolve('node/package.json')), 'bin', 'node');
    return existsSync(node) ? node : undefined;
  } catch {
    return undefined;
  }
}
