import { setTimeout as pause } from 'node:timers/promises';
import type { AttemptRef, Description, HeldUp, HostLoad, RunParams } from '@roadstead/contracts/host';
import { NoSharedVersion, PROTOCOL_VERSIONS, type Reply } from '@roadstead/contracts/host-peer';
import { Problem, Pulse, type PulseLimits } from '@roadstead/kit';
import { type AttemptResult, MOVED } from './attempt-result.ts';
import type { HostHandle } from './host-process.ts';
import type { HostState } from './host-rules.ts';

/** A host whose event loop has not turned for so long lets its other runs go on elsewhere. */
const HELD_UP_MS = 1500;
/** How long a cancelled run may hold up an event loop before its host is ended. */
const CANCELLED_MS = 10_000;
/** A run that was moved so often repeats no more of its work: it waits until the loop turns. */
const MAX_MOVES = 2;

export interface Job {
  readonly params: RunParams;
  /** Who began the run. */
  readonly principal: string;
  /** It must have a host of its own. */
  readonly alone: boolean;
  /** How often it was moved away from a loop that was held up. */
  readonly moves: number;
  readonly resolve: (outcome: AttemptResult) => void;
  readonly reject: (error: unknown) => void;
}

export interface GraphHostOptions extends PulseLimits {
  readonly process: HostHandle;
  readonly start_ms: number;
  readonly on: {
    /** It may take another run. */
    readonly room: () => void;
    readonly silent: (host: GraphHost) => void;
    /** Its event loop is held up, by one of its runs where that is known; it answers all the same. */
    readonly heldUp: (host: GraphHost) => void;
    /** It is ended for that. */
    readonly heldTooLong: (host: GraphHost) => void;
    readonly back: (host: GraphHost, after_ms: number) => void;
    readonly lost: (host: GraphHost) => void;
  };
}

interface GivenJob {
  readonly job: Job;
  /** When it went out; undefined while the host starts. */
  sent_at: number | undefined;
  accepted: boolean;
  /** Whether somebody asked for its end. */
  cancelled: boolean;
}

/** A graph host as its pool sees it: its process, the attempts that it was given, and whether it answers. */
export class GraphHost implements HostState {
  readonly process: HostHandle;
  readonly started = Date.now();
  /** The graphs and parts that it loaded. */
  readonly ready: Promise<Description>;
  idle: NodeJS.Timeout | undefined;
  stopping = false;
  /** Whether it failed before it described what it loaded. */
  failed = false;
  readonly #options: GraphHostOptions;
  readonly #given = new Map<string, GivenJob>();
  #unaccepted = 0;
  #starting = true;
  #load: HostLoad | undefined;
  #load_at = 0;
  #pulse: Pulse | undefined;
  #held_up: HeldUp | undefined;
  #lost: Problem | undefined;
  #ended = false;
  /** How many use it for something that is no run. */
  #borrowed = 0;

  constructor(options: GraphHostOptions) {
    this.#options = options;
    this.process = options.process;
    this.ready = readyOf(options.process, options.start_ms);
    // A start has a limit of its own: loading modules may keep it busy for long.
    this.ready.then(
      () => this.#watch(),
      () => undefined,
    );
  }

  get runs(): number {
    return this.#given.size;
  }

  get starting(): boolean {
    return this.#starting;
  }

  get unaccepted(): number {
    return this.#unaccepted;
  }

  get load(): HostLoad | undefined {
    return this.#load;
  }

  get load_age_ms(): number {
    return Date.now() - this.#load_at;
  }

  /** Its own report of its load. */
  tellLoad(load: HostLoad): void {
    this.#load = load;
    this.#load_at = Date.now();
    this.#options.on.room();
  }

  /** Whether anything is under way on it. */
  get busy(): boolean {
    return this.runs > 0 || this.#borrowed > 0;
  }

  get alone(): boolean {
    const [first] = this.#given.values();
    return first?.job.alone === true;
  }

  /** Whether its runs don't go on: it does not answer, or says that its event loop is held up. */
  get silent(): boolean {
    return this.silent_since !== undefined || this.#held_up !== undefined;
  }

  get held_up(): HeldUp | undefined {
    return this.#held_up;
  }

  /** How long its event loop may be held up like this: for ever by a run that somebody wants. */
  get held_limit_ms(): number {
    const holder = this.#holder;
    if (holder === undefined) return this.#options.unresponsive_ms;
    return holder.cancelled ? CANCELLED_MS : Infinity;
  }

  get silent_since(): number | undefined {
    return this.#pulse?.silent_since;
  }

  jobs(): Job[] {
    return [...this.#given.values()].map(({ job }) => job);
  }

  /** Keeps it for something that is no run until that is over, which is then told. */
  borrow(onFree: () => void): Disposable {
    clearTimeout(this.idle);
    this.#borrowed += 1;
    let isOver = false;
    return {
      [Symbol.dispose]: () => {
        if (isOver) return;
        isOver = true;
        this.#borrowed -= 1;
        onFree();
      },
    };
  }

  give(job: Job): void {
    clearTimeout(this.idle);
    const given: GivenJob = { job, sent_at: undefined, accepted: false, cancelled: false };
    this.#given.set(keyOf(job.params), given);
    this.#unaccepted += 1;
    const accepted = this.ready.then(() => {
      given.sent_at = Date.now();
      return this.process.ask('run', job.params);
    });
    accepted
      .then(
        () => (given.accepted = true),
        (error: unknown) => {
          // The end of its process says whose fault that is.
          if (this.process.breach !== undefined && !this.#ended) return;
          if (this.#given.delete(keyOf(job.params))) job.reject(this.#lost ?? error);
        },
      )
      .finally(() => {
        this.#unaccepted -= 1;
        this.#options.on.room();
      });
  }

  /** False for an attempt that it does not have. */
  settle(ref: AttemptRef, outcome: AttemptResult): boolean {
    const given = this.#given.get(keyOf(ref));
    if (given === undefined) return false;
    this.#given.delete(keyOf(ref));
    given.job.resolve(outcome);
    return true;
  }

  has(ref: AttemptRef): boolean {
    return this.#given.has(keyOf(ref));
  }

  cancel(
    { run_id, attempt }: AttemptRef,
    { reason, why }: { readonly reason: 'cancel' | 'drain'; readonly why?: string | undefined } = {
      reason: 'drain',
    },
  ): void {
    const given = this.#given.get(keyOf({ run_id, attempt }));
    if (given !== undefined) given.cancelled ||= reason === 'cancel';
    const said = why === undefined ? {} : { why };
    void this.process.ask('cancel', { run_id, attempt, reason, ...said }).catch(() => undefined);
  }

  /**
   * Reclaims the runs that a silent host has not accepted, to be tried on another host. A run that was sent before the
   * ping which got no answer may itself block the host; such a run stays if it has the host for itself.
   */
  reclaimUnaccepted(): { readonly job: Job; readonly late: boolean }[] {
    const since = this.silent_since ?? 0;
    const taken = [...this.#given.values()]
      .filter(({ accepted }) => !accepted)
      .map(({ job, sent_at = Infinity }) => ({ job, late: sent_at > since }))
      .filter(({ job, late }) => late || !job.alone);
    for (const { job } of taken) {
      this.#given.delete(keyOf(job.params));
      // Takes effect once it continues.
      this.cancel(job.params);
    }
    return taken;
  }

  /** Moves runs that wait while the event loop is held up, never the one that holds it, and answers how many. */
  moveOthers(which: 'movable' | 'all'): number {
    const holder = this.#holder;
    const taken = [...this.#given.values()]
      .filter((given) => given !== holder)
      .map(({ job }) => job)
      .filter(({ moves }) => which === 'all' || moves < MAX_MOVES);
    for (const { params, resolve } of taken) {
      this.#given.delete(keyOf(params));
      // Takes effect once the loop turns.
      this.cancel(params);
      resolve(MOVED);
    }
    return taken.length;
  }

  /** Its process has ended, and its attempts with it. */
  end(how: string): void {
    this.#ended = true;
    this.#pulse?.[Symbol.dispose]();
    clearTimeout(this.idle);
    for (const { job } of this.#given.values()) job.reject(this.#lost ?? new Problem('unavailable', how));
    this.#given.clear();
  }

  #hear(said: HeldUp | undefined): void {
    const before = this.#held_up;
    this.#held_up = said !== undefined && said.for_ms >= HELD_UP_MS ? said : undefined;
    if (this.#ended || this.#lost !== undefined) return;
    const { on } = this.#options;
    if (before === undefined && this.#held_up !== undefined) on.heldUp(this);
    if (before !== undefined && this.#held_up === undefined) on.back(this, before.for_ms);
    if (this.#held_up !== undefined && this.#held_up.for_ms >= this.held_limit_ms) this.#endHeld();
  }

  /** The run that holds up the event loop; undefined where that is nothing that it was given. */
  get #holder(): GivenJob | undefined {
    const { run_id, attempt } = this.#held_up ?? {};
    return run_id === undefined || attempt === undefined
      ? undefined
      : this.#given.get(keyOf({ run_id, attempt }));
  }

  /** No cancellation reaches what holds up the event loop. */
  #endHeld(): void {
    const why =
      this.#holder === undefined
        ? `Code that is of none of its runs held up its event loop for ${this.held_limit_ms / 1000} s (an endless loop?).`
        : 'Its run was cancelled, and went on without awaiting anything.';
    this.#lost = new Problem('unavailable', why);
    this.#options.on.heldTooLong(this);
    // Where it is known what holds up the loop, no other run is to blame.
    if (this.#held_up?.run_id !== undefined) this.moveOthers('all');
    this.process.kill();
  }

  #watch(): void {
    this.#starting = false;
    if (this.#ended) return;
    const { on, ...limits } = this.#options;
    on.room();
    this.#pulse = new Pulse({
      ...limits,
      ping: async () => this.#hear((await this.process.ask('ping', {})).result.held_up),
      onSilent: () => on.silent(this),
      onBack: (after_ms) => on.back(this, after_ms),
      onLost: () => {
        this.#lost = new Problem(
          'unavailable',
          `Its process did not answer for ${limits.unresponsive_ms / 1000} s and was ended (an endless loop?).`,
        );
        on.lost(this);
        this.process.kill();
      },
    });
  }
}

const keyOf = (ref: AttemptRef) => `${ref.run_id}:${ref.attempt}`;

/** @throws Problem where it does not start in time, or speaks no version of the protocol that we speak */
async function readyOf(process: HostHandle, start_ms: number): Promise<Description> {
  // What keeps it from beginning has a limit of its own.
  const timedOut = process.begun.then(async (): Promise<never> => {
    await pause(start_ms, undefined, { ref: false });
    throw new Problem('unavailable', `The agent did not start within ${start_ms / 1000} s.`, {
      hint: 'The operator of this platform sets the limit, by ROADSTEAD_START_S.',
    });
  });
  timedOut.catch(() => undefined);
  const described = process
    .ask('describe', { protocol_versions: PROTOCOL_VERSIONS })
    .catch(async (error: unknown) => {
      if (error instanceof NoSharedVersion) throw new Problem('invalid', error.message, { cause: error });
      // The host's own message, if there is one; else how it ended.
      if (!(error instanceof Problem)) throw error;
      const how = await process.exited;
      const { refusal_code: code } = process;
      throw new Problem('unavailable', how, { cause: error, ...(code === undefined ? {} : { code }) });
    });
  return (await Promise.race<Reply<Description>>([described, timedOut])).result;
}
