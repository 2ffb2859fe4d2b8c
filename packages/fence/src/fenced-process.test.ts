import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { endWithUs } from './fenced-process.ts';

/** A process that has ended and waits to be noticed is not alive. */
const isAlive = (pid: number) =>
  /^[^Z]/.test(spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim());
const busy = ['-e', 'console.log(process.pid); for (;;);'];

test('when a process dies, then what it started ends with it, even what sees nothing', async () => {
  const module = fileURLToPath(new URL('fenced-process.ts', import.meta.url));
  const parent = spawn(process.execPath, [
    '--input-type=module-typescript',
    '-e',
    `import { spawn } from 'node:child_process';
     import { endWithUs } from ${JSON.stringify(module)};
     const child = spawn(process.execPath, ${JSON.stringify(busy)}, { stdio: ['ignore', 'pipe', 'ignore'], detached: true });
     endWithUs(child.pid!);
     child.stdout.pipe(process.stdout);`,
  ]);
  const [pid] = (await once(parent.stdout, 'data')).map(Number);
  expect(isAlive(pid ?? 0)).toBe(true);
  parent.kill('SIGKILL');
  await expect.poll(() => isAlive(pid ?? 0)).toBe(false);
});

test('when a process has ended, then no other process is ended in its place', async () => {
  const child = spawn(process.execPath, busy, { stdio: ['ignore', 'pipe', 'ignore'], detached: true });
  await once(child.stdout, 'data');
  {
    using _ = endWithUs(child.pid ?? 0);
  }
  expect(isAlive(child.pid ?? 0)).toBe(true);
  child.kill('SIGKILL');
});
