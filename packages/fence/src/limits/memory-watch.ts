import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import type { LimitedProgram, Limiter } from './limits.ts';
import { ownBytes, parentOf, type Process, treesOf } from './memory-rules.ts';

const LOOK_MS = 500;
/** This many processes are read in one turn. */
const AT_ONCE = 50;

interface WatchedProgram {
  readonly max_bytes: number;
  readonly onExceeded: () => void;
}

/**
 * Checks twice a second the memory of each program with everything that it has started, and ends one that takes too
 * much. A program that grows faster can exceed its limit for a moment. Nothing is checked while no program runs.
 */
export class MemoryWatch implements Limiter {
  readonly kind = 'watch';
  readonly limits_cpu = false;
  readonly #watched = new Map<number, WatchedProgram>();
  #isLooking = false;

  hold({ memory_mb }: { readonly memory_mb: number }): LimitedProgram {
    let own: number | undefined;
    let exceeded = false;
    return {
      enter: [],
      watch: (pid, onExceeded) => {
        own = pid;
        const end = () => {
          exceeded = true;
          onExceeded();
        };
        this.#watched.set(pid, { max_bytes: memory_mb * 1_048_576, onExceeded: end });
        this.#later();
      },
      kill: () => undefined,
      release: () => {
        if (own !== undefined) this.#watched.delete(own);
        return exceeded;
      },
    };
  }

  #later(): void {
    if (this.#isLooking) return;
    this.#isLooking = true;
    setTimeout(() => {
      void this.#look().finally(() => {
        this.#isLooking = false;
        if (this.#watched.size > 0) this.#later();
      });
    }, LOOK_MS).unref();
  }

  async #look(): Promise<void> {
    const trees = treesOf([...this.#watched.keys()], await listProcesses());
    for (const [root, pids] of trees) {
      const bytes = pids.reduce((sum, pid) => sum + ownBytes(textOf(pid, 'status')), 0);
      const watched = this.#watched.get(root);
      if (watched !== undefined && bytes > watched.max_bytes) watched.onExceeded();
    }
  }
}

async function listProcesses(): Promise<Process[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name)).map(Number);
  const processes: Process[] = [];
  for (let at = 0; at < pids.length; at += AT_ONCE) {
    const some = pids.slice(at, at + AT_ONCE);
    processes.push(...some.map((pid) => ({ pid, parent: parentOf(textOf(pid, 'stat')) })));
    await setImmediate();
  }
  return processes;
}

/**
 * Empty for a process that is gone. Read synchronously: the kernel writes it while it is read, and a promise costs
 * ten times as much.
 */
function textOf(pid: number, file: 'stat' | 'status'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
