import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import type { Log } from '@roadstead/kit';

export interface DataPlaneProcessOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** A line of its log. */
  readonly onLog: (line: string) => void;
  readonly log: Log;
  /** What is run, instead of the data plane. */
  readonly command?: readonly [string, ...string[]];
}

const STOP_MS = 30_000;
/** Who ran so long has not failed by its start. */
const LASTED_MS = 10_000;

/** How often in a row it ended soon after its start. */
export const failuresAfter = (failures: number, ran_ms: number): number =>
  ran_ms > LASTED_MS ? 0 : failures + 1;

export const restartAfterMs = (failures: number): number => Math.min(10_000, 100 * 2 ** failures);

const dataPlane = (): readonly [string, ...string[]] => [
  process.execPath,
  createRequire(import.meta.url).resolve('@roadstead/data-plane/main'),
];

/** The data plane, our child: started again whenever it ends or can't be started, until we stop it. */
export class DataPlaneProcess implements AsyncDisposable {
  readonly #options: DataPlaneProcessOptions;
  #child: ChildProcess | undefined;
  #stopping = false;
  #failures = 0;
  #ended: Promise<void> = Promise.resolve();

  constructor(options: DataPlaneProcessOptions) {
    this.#options = options;
    this.#start();
  }

  /** Ends it without asking. */
  kill(): void {
    this.#stopping = true;
    this.#child?.kill('SIGKILL');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping = true;
    this.#child?.kill('SIGTERM');
    const timer = setTimeout(() => this.#child?.kill('SIGKILL'), STOP_MS);
    await this.#ended;
    clearTimeout(timer);
  }

  #start(): void {
    const began = Date.now();
    this.#ended = this.#run().then((why) => {
      if (this.#stopping) return;
      this.#failures = failuresAfter(this.#failures, Date.now() - began);
      const after_ms = restartAfterMs(this.#failures);
      this.#options.log.error('the data plane ended; it is started again', { ...why, after_ms });
      setTimeout(() => this.#stopping || this.#start(), after_ms).unref();
    });
  }

  /** Answers why it ended, or could not be started: a system short of processes or memory refuses. */
  async #run(): Promise<{ code?: number | null; signal?: string | null; error?: unknown }> {
    const { environment, onLog, command = dataPlane() } = this.#options;
    const [program, ...args] = command;
    try {
      // A session of its own: the terminal's Ctrl-C is ours to answer. Its standard input ends with us, and it with that.
      const child = spawn(program, args, {
        env: { ...environment },
        stdio: ['pipe', 'pipe', 'pipe'],
        detached: true,
      });
      this.#child = child;
      return await new Promise((resolve, reject) => {
        child.on('error', (error) => child.pid === undefined && reject(error));
        child.once('exit', (code, signal) => resolve({ code, signal }));
        // Without a file descriptor left there are no pipes either.
        child.stdin?.on('error', () => undefined);
        child.stdout?.resume();
        if (child.stderr) createInterface({ input: child.stderr }).on('line', (line) => onLog(`${line}\n`));
      });
    } catch (error) {
      return { error };
    }
  }
}
