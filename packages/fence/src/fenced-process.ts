import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { ownDescriptors } from './descriptors.ts';
import type { LimitedProgram } from './limits/limits.ts';

export interface FencedProcessOptions {
  /** A program by its absolute path, and its arguments. */
  readonly command: readonly string[];
  /** Holds nothing that could change how the command fences. */
  readonly environment: Readonly<Record<string, string>>;
  /** How many pipes it has from file descriptor 1 on; it reads nothing. */
  readonly pipes: number;
  /** Ends processes that have left the process group, after its end. */
  readonly endStrays?: () => Promise<void>;
  /** Called once the program has ended, or could not be started. */
  readonly onEnded?: () => void;
  /** Its limits on the machine. */
  readonly held?: LimitedProgram | undefined;
}

/** How a fenced program ended. */
export type ProgramEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'killed'; readonly signal: string }
  | { readonly kind: 'out of memory' }
  | { readonly kind: 'not started'; readonly why: string };

const LAST_OUTPUT_MS = 2000;

/** A fenced program and everything that it starts: a process group of its own, which ends as a whole and with us. */
export class FencedProcess {
  readonly child: ChildProcess;
  /** Resolves after its last output, once what left its process group was sent SIGKILL; after 2 s at the latest. */
  readonly ended: Promise<ProgramEnd>;
  readonly #held: LimitedProgram | undefined;

  constructor({ command, environment, pipes, endStrays, onEnded, held }: FencedProcessOptions) {
    const [program = '', ...args] = [...(held?.enter ?? []), ...command];
    this.#held = held;
    this.child = spawn(program, args, {
      cwd: '/',
      env: { ...environment },
      stdio: ownDescriptors(pipes),
      // A terminal's Ctrl-C is for us to handle.
      detached: true,
    });
    // A process that is too busy can't see a pipe break.
    const watch = this.child.pid === undefined ? undefined : endWithUs(this.child.pid);
    if (this.child.pid !== undefined) held?.watch(this.child.pid, () => this.kill());
    this.ended = new Promise((resolve) => {
      // The message of the error names paths of this machine.
      this.child.once('error', (error: NodeJS.ErrnoException) => {
        held?.release();
        onEnded?.();
        resolve({ kind: 'not started', why: error.code ?? error.name });
      });
      this.child.once('exit', (code, signal) => {
        // Processes that the program left running hold its output open.
        this.kill();
        const how: ProgramEnd = held?.release() === true ? { kind: 'out of memory' } : endOf(code, signal);
        watch?.[Symbol.dispose]();
        onEnded?.();
        const strays = endStrays?.();
        this.child.once('close', () => void Promise.resolve(strays).finally(() => resolve(how)));
        setTimeout(resolve, LAST_OUTPUT_MS, how).unref();
      });
    });
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /** Ends the program and everything that it started. */
  kill(): void {
    const { pid } = this.child;
    if (pid === undefined) return;
    this.#held?.kill();
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // The group has ended already.
    }
  }
}

/** A shell that waits for a program reports by its exit code which signal ended it. */
function endOf(code: number | null, signal: NodeJS.Signals | null): ProgramEnd {
  if (code === null) return { kind: 'killed', signal: signal ?? 'an unknown signal' };
  const by = Object.entries(constants.signals).find(([, number]) => number === code - 128);
  return by === undefined ? { kind: 'exited', code } : { kind: 'killed', signal: by[0] };
}

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
