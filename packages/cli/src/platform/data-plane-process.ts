import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import type { HandOff } from '@roadstead/http';
import { type Log, Problem } from '@roadstead/kit';

export interface DataPlaneProcessOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Settings that travel over its standard input: others may read the environment and the arguments of a process. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Called with each line of its log. */
  readonly onLog: (line: string) => void;
  readonly log: Log;
  /** Hands connections on to it. */
  readonly handOff?: HandOff;
  /** The command to run instead of the data plane. */
  readonly command?: readonly [string, ...string[]];
}

const STOP_MS = 30_000;
/** A process that ran this long did not fail at its start. */
const LASTED_MS = 10_000;

/** How many times in a row it has ended soon after its start. */
export const failuresAfter = (failures: number, ran_ms: number): number =>
  ran_ms > LASTED_MS ? 0 : failures + 1;

export const restartAfterMs = (failures: number): number => Math.min(10_000, 100 * 2 ** failures);

const dataPlane = (): readonly [string, ...string[]] => [
  process.execPath,
  // V8 gives the young generation by default 128 MB and more on a large machine, and keeps them.
  '--max-semi-space-size=16',
  createRequire(import.meta.url).resolve('@roadstead/data-plane/main'),
  '--secrets-from-stdin',
];

/** The exit code of a data plane whose settings prevent a start (EX_CONFIG of sysexits). */
const REFUSED = 78;

/**
 * Our child, the data plane: restarted whenever it ends or can't be started, until we stop it or its settings turn
 * out to be unusable.
 */
export class DataPlaneProcess implements AsyncDisposable {
  /** Why its settings prevent a start; resolves only then. */
  readonly refused: Promise<Problem>;
  readonly #refuse: (why: Problem) => void;
  readonly #options: DataPlaneProcessOptions;
  #child: ChildProcess | undefined;
  #stopping = false;
  #failures = 0;
  #ended: Promise<void> = Promise.resolve();

  constructor(options: DataPlaneProcessOptions) {
    this.#options = options;
    const refused = Promise.withResolvers<Problem>();
    this.refused = refused.promise;
    this.#refuse = refused.resolve;
    this.#start();
  }

  /** Kills it without a clean stop. */
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
      if (why.code === REFUSED)
        return this.#options.log.error('the data plane can not start with its settings', why);
      this.#failures = failuresAfter(this.#failures, Date.now() - began);
      const after_ms = restartAfterMs(this.#failures);
      this.#options.log.error('the data plane ended; it is started again', { ...why, after_ms });
      setTimeout(() => this.#stopping || this.#start(), after_ms).unref();
    });
  }

  /** Answers why it ended, or could not be started: a system short of processes or memory refuses. */
  async #run(): Promise<{ code?: number | null; signal?: string | null; error?: unknown }> {
    const { environment, secrets, onLog, handOff, command = dataPlane() } = this.#options;
    const [program, ...args] = command;
    try {
      // In a session of its own, so that a terminal's Ctrl-C reaches only us. It ends when its standard input does.
      const child = spawn(program, args, {
        env: { ...environment },
        stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
        serialization: 'advanced',
        detached: true,
      });
      this.#child = child;
      handOff?.to(child);
      return await new Promise((resolve, reject) => {
        child.on('error', (error) => child.pid === undefined && reject(error));
        child.once('exit', (code, signal) => resolve({ code, signal }));
        // Without a free file descriptor there are no pipes either.
        child.stdin?.on('error', () => undefined).write(`${JSON.stringify(secrets)}\n`);
        if (child.stdout) createInterface({ input: child.stdout }).on('line', (line) => this.#hear(line));
        if (child.stderr) createInterface({ input: child.stderr }).on('line', (line) => onLog(`${line}\n`));
      });
    } catch (error) {
      return { error };
    }
  }

  /** Reads its messages about its start. */
  #hear(line: string): void {
    const said = JSON.parse(line) as { readonly refused?: string };
    if (said.refused !== undefined) this.#refuse(new Problem('invalid', said.refused));
  }
}
