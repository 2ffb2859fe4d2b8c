import { Problem } from '@roadstead/kit';
import {
  type CrashLimits,
  type HostExit,
  recentExits,
  type Trouble,
  troubleOf,
  waitBeforeStart,
} from './crash-rules.ts';

export interface CrashWatchOptions {
  readonly limits: CrashLimits;
  readonly memory_mb: number;
  /** The word for its hosts; unset, graph host. */
  readonly what?: string | undefined;
  /** The field of a `resource_spec` that sets their memory, where one does. */
  readonly own_limit?: string | undefined;
  /** Told whenever it becomes another one; undefined when all is well again. */
  readonly onTrouble: (trouble: Trouble | undefined) => void;
}

/** Remembers how often the hosts of one revision ended lately. */
export class CrashWatch implements Disposable {
  readonly #options: CrashWatchOptions;
  #exits: readonly HostExit[] = [];
  #last_start_ms = 0;
  #told: Trouble | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: CrashWatchOptions) {
    this.#options = options;
  }

  /** The present trouble. */
  get trouble(): Trouble | undefined {
    return this.#told;
  }

  started(): void {
    this.#last_start_ms = Date.now();
  }

  ended(exit: { readonly out_of_memory: boolean }): void {
    this.#exits = [...this.#recent(), { at_ms: Date.now(), ...exit }];
    this.#tell();
  }

  /** A host that was started at this time has lived long: what ended before it is over. */
  lived(started_ms: number): void {
    this.#exits = this.#exits.filter(({ at_ms }) => at_ms > started_ms);
    this.#tell();
  }

  /** How long no host may be started. */
  get wait_ms(): number {
    const { limits } = this.#options;
    return waitBeforeStart(this.#recent(), { last_start_ms: this.#last_start_ms, now: Date.now(), limits });
  }

  /** Why nothing can be run before the next start. */
  get refusal(): Problem | undefined {
    const { wait_ms } = this;
    if (wait_ms === 0) return undefined;
    return new Problem(
      'unavailable',
      'The agent keeps ending right after its start; it is tried again soon.',
      {
        retry_after_s: Math.ceil(wait_ms / 1000),
        hint: 'The status of the deployment says more.',
      },
    );
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }

  #recent(): HostExit[] {
    return recentExits(this.#exits, Date.now(), this.#options.limits);
  }

  /** Says what it has become, now and when the oldest exit has been long enough ago. */
  #tell(): void {
    const { limits, onTrouble } = this.#options;
    const recent = this.#recent();
    const trouble = troubleOf(recent, this.#options);
    clearTimeout(this.#timer);
    const [oldest] = recent;
    if (oldest !== undefined && trouble !== undefined)
      this.#timer = setTimeout(() => this.#tell(), oldest.at_ms + limits.within_ms - Date.now() + 1).unref();
    if (trouble?.message === this.#told?.message) return;
    this.#told = trouble;
    onTrouble(trouble);
  }
}
