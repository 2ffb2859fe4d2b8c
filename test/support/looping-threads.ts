import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Loops } from './looping-program.ts';

const program = fileURLToPath(new URL('looping-program.ts', import.meta.url));
const preloaded = new URL('loop-when-told.ts', import.meta.url).href;

/** Has threads of a process of its own loop for ever; tells how many rounds it lived through, how it ended and what it logged. */
export async function loopInProcess(loops: Loops): Promise<{
  readonly rounds: number;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly lines: readonly string[];
}> {
  const child = spawn(process.execPath, ['--import', preloaded, program, JSON.stringify(loops)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  let rounds = 0;
  createInterface(child.stdout).on('line', () => (rounds += 1));
  createInterface(child.stderr).on('line', (line) => void lines.push(line));
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { rounds, code, signal, lines };
}
