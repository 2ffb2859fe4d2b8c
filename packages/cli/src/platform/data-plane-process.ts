import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import type { Log } from '@roadstead/kit';

export interface DataPlaneProcessOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** A line of its log. */
  readonly onLog: (line: string) => void;
  readonly log: Log;
}

const STOP_MS = 30_000;

/** The data plane, our child: started again whenever it ends, until we stop it. */
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

  get pid(): number | undefined {
    return this.#child?.pid;
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
    const { environment, onLog, log } = this.#options;
    // A session of its own: the terminal's Ctrl-C is ours to answer. Its standard input ends with us, and it with that.
    const child = spawn(
      process.execPath,
      [createRequire(import.meta.url).resolve('@roadstead/data-plane/main')],
      { env: { ...environment }, stdio: ['pipe', 'pipe', 'pipe'], detached: true },
    );
    this.#child = child;
    const began = Date.now();
    child.stdin.on('error', () => undefined);
    child.stdout.resume();
    createInterface({ input: child.stderr }).on('line', (line) => onLog(`${line}\n`));
    this.#ended = new Promise((resolve) => {
      child.once('error', () => resolve());
      child.once('exit', (code, signal) => {
        resolve();
        if (this.#stopping) return;
        this.#failures = Date.now() - began > 10_000 ? 0 : this.#failures + 1;
        const after_ms = Math.min(10_000, 100 * 2 ** this.#failures);
        log.error('the data plane ended; it is started again', { code, signal, after_ms });
        setTimeout(() => this.#stopping || this.#start(), after_ms).unref();
      });
    });
  }
}
