import { type RunningPlatform, startPlatform } from './platform.ts';

type Options = Parameters<typeof startPlatform>[1];

/** A platform that tests end and start again. */
export class RestartedPlatform implements AsyncDisposable {
  readonly #home: string;
  #current: RunningPlatform;

  private constructor(home: string, current: RunningPlatform) {
    this.#home = home;
    this.#current = current;
  }

  static async start(home: string, options?: Options): Promise<RestartedPlatform> {
    return new RestartedPlatform(home, await startPlatform(home, options));
  }

  /** The one that runs now, or ran last. */
  get current(): RunningPlatform {
    return this.#current;
  }

  /** Starts it on the same data folder, once the former one has ended. */
  async startAgain(options?: Options): Promise<void> {
    this.#current = await startPlatform(this.#home, options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#current[Symbol.asyncDispose]();
  }
}
