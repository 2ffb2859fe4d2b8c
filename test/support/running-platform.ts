import type { CommandResult } from './run-command.ts';

/** A platform that tests have started, whichever way. */

export interface RunningPlatform extends AsyncDisposable {
  readonly url: string;
  readonly key: string;
  readonly folder: string;
  readonly pid: number;
  /** What it printed so far. */
  readonly output: () => string;
  readonly fetch: typeof fetch;
  /** Runs `roadstead` against it. */
  run(...args: string[]): Promise<CommandResult>;
  /** SIGTERM, and its exit code. */
  stop(): Promise<number>;
  /** kill -9. */
  kill(): Promise<void>;
}

export interface PlatformOptions {
  readonly args?: readonly string[];
  readonly port?: number;
  readonly env?: Readonly<Record<string, string>>;
}
