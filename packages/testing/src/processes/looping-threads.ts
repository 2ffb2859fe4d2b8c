import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { BroadcastChannel } from 'node:worker_threads';

const preloaded = new URL('loop-when-told.ts', import.meta.url).href;

/**
 * Runs a program whose threads loop for ever, one after the other, and are ended for it: one that calls `loopInRounds`.
 * @returns how many rounds its process lived through, how it ended and what it logged.
 */
export async function loopInProcess(
  program: URL,
  loops: object,
): Promise<{
  readonly rounds: number;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly lines: readonly string[];
}> {
  const args = ['--import', preloaded, fileURLToPath(program), JSON.stringify(loops)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const lines: string[] = [];
  let rounds = 0;
  createInterface(child.stdout).on('line', () => (rounds += 1));
  createInterface(child.stderr).on('line', (line) => void lines.push(line));
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { rounds, code, signal, lines };
}

interface LoopingThread {
  readonly thread: AsyncDisposable;
  /** Asks the thread; rejects where it does not answer in time and is ended. */
  readonly ask: () => Promise<unknown>;
}

/** In each round a thread is opened, answers, loops until it is ended, and its successor answers. */
export async function loopInRounds(rounds: number, open: () => LoopingThread): Promise<void> {
  const channel = new BroadcastChannel('loop');
  for (let round = 1; round <= rounds; round += 1) {
    const { thread, ask } = open();
    await using _closed = thread;
    await ask();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads, no window
    channel.postMessage('now');
    // It may answer once more before it hears of it.
    while (
      await ask().then(
        () => true,
        () => false,
      )
    );
    await ask();
    process.stdout.write(`${round}\n`);
  }
  channel.close();
}
