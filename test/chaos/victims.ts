import { fileURLToPath } from 'node:url';
import { type DataHome, dataHome, type RunningPlatform, startPlatform } from '../support/platform.ts';
import { killProcessesOf } from '../support/process-tree.ts';

/** Graph hosts of each language. */
export const HOST = /graph-host\/src\/main|roadstead_host\/__main__/;

export interface Victim {
  readonly name: string;
  readonly kill: () => Promise<void>;
}

/** A platform of which every process may be killed. */
export class KilledPlatform implements AsyncDisposable {
  readonly #home: DataHome;
  #platform: RunningPlatform;

  private constructor(home: DataHome, platform: RunningPlatform) {
    this.#home = home;
    this.#platform = platform;
  }

  static async start(): Promise<KilledPlatform> {
    const home = await dataHome();
    const platform = await startPlatform(home.path);
    return new KilledPlatform(home, platform);
  }

  /** The one that runs now. */
  get platform(): RunningPlatform {
    return this.#platform;
  }

  readonly victims: readonly Victim[] = [
    { name: 'a graph host', kill: () => this.#killThose(HOST) },
    { name: 'the data plane', kill: () => this.#killThose(/data-plane\/src\/main/) },
    { name: 'Postgres', kill: () => this.#killThose(/bin\/postgres -D/) },
    { name: 'the platform', kill: () => this.restart() },
  ];

  /** Kills it, and starts it again at its address. */
  async restart(): Promise<void> {
    const port = Number(new URL(this.#platform.url).port);
    await this.#platform.kill();
    this.#platform = await startPlatform(this.#home.path, { port });
  }

  async #killThose(pattern: RegExp): Promise<void> {
    if ((await killProcessesOf(this.#platform.pid, pattern)) === 0)
      throw new Error(`Nothing fits ${pattern}.`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#platform[Symbol.asyncDispose]();
    await this.#home[Symbol.asyncDispose]();
  }
}

export const agentFolder = (name: string): string =>
  fileURLToPath(new URL(`../agents/${name}`, import.meta.url));

export const exampleFolder = (name: string): string =>
  fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));
