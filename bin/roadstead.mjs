#!/usr/bin/env node
// Starts the `roadstead` command from a checkout, from any folder and with any Node ≥ 20: installs what is missing,
// then runs the TypeScript with the Node that the lock file names.
import { spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { install } from './install.mjs';

const root = dirname(dirname(realpathSync(fileURLToPath(import.meta.url))));
const main = join(root, 'packages', 'cli', 'src', 'main.ts');
install();

if (Number(process.versions.node.split('.')[0]) >= 24) {
  await import(main);
} else {
  const node = join(root, 'node_modules', 'node', 'bin', 'node');
  if (!existsSync(node)) {
    process.stderr.write('roadstead: Node 24 is missing from node_modules; run `npm ci` in the checkout.\n');
    process.exit(1);
  }
  const child = spawn(node, [main, ...process.argv.slice(2)], { stdio: 'inherit' });
  // A terminal signals the whole group, a supervisor only us; the child tells the same signal twice from a second wish.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal === 'SIGKILL' ? 137 : 1);
  });
}
