import type { AttemptRef, Manifest, Outcome, RunParams } from '@roadstead/contracts';
import type { Reply } from '@roadstead/contracts/host-peer';
import { type Log, Problem } from '@roadstead/kit';
import type { HostHandle } from './host-process.ts';

/** What a run's host asks and tells while it runs. */
export interface RunSink {
  ask(
    method: string,
    params: unknown,
    blobs: readonly Uint8Array[],
  ): Promise<{ result: unknown; blobs?: readonly Uint8Array[] }>;
  tell(method: string, params: unknown, blobs: readonly Uint8Array[]): void;
}

export interface RevisionHostsOptions {
  /** Starts a process with these handlers. */
  readonly spawn: (handlers: RunSink) => HostHandle;
  readonly sink: RunSink;
  readonly jobs_per_host: number;
  readonly max_hosts: number;
  readonly min_hosts: number;
  readonly idle_ms: number;
  readonly start_ms: number;
  /** A host whose event loop answers no ping for so long is ended. */
  readonly unresponsive_ms: number;
  /** How long a host that ended by itself is waited for before the next one, doubled each time. */
  readonly again_ms?: { readonly min: number; readonly max: number };
  readonly onHosts: (change: 1 | -1) => void;
  readonly log: Log;
}

interface Job {
  readonly params: RunParams;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
}

interface Host {
  readonly process: HostHandle;
  readonly started: number;
  readonly ready: Promise<Manifest>;
  readonly runs: Map<string, Job>;
  idle: NodeJS.Timeout | undefined;
  stopping: boolean;
  /** Whether it could not even say what it loaded. */
  failed: boolean;
}

/** How long all hosts must be full before another one starts. */
const CROWDED_MS = 500;
const PING_MS = 30_000;
const AGAIN_MS = { min: 1000, max: 60_000 };
/** A host that has lived so long did not die of being started. */
const LONG_LIFE_MS = 60_000;

/**
 * The graph hosts of one revision: started at the first run, stopped when idle, each with a number of runs at most. Of an
 * active revision so many as are wanted are always kept.
 */
export class RevisionHosts implements AsyncDisposable {
  readonly #options: RevisionHostsOptions;
  readonly #hosts = new Set<Host>();
  /** No longer than the engine's room lets it become. */
  readonly #waiting: Job[] = [];
  #crowded: NodeJS.Timeout | undefined;
  #again: NodeJS.Timeout | undefined;
  #kept = 0;
  /** Hosts that ended by themselves soon after their start, one after the other. */
  #deaths = 0;
  #closed = false;

  constructor(options: RevisionHostsOptions) {
    this.#options = options;
  }

  /** Starts a host, if none runs, and asks what it loaded. */
  async describe(signal: AbortSignal): Promise<Manifest> {
    const host = [...this.#hosts].find((one) => !one.stopping) ?? this.#start();
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(new Problem('unavailable', 'The start was given up.')), {
        once: true,
      });
    });
    return Promise.race([host.ready, aborted]);
  }

  /** The revision is active: from here on hosts are kept while nothing runs, too. */
  keep(): void {
    this.#kept = Math.min(this.#options.min_hosts, this.#options.max_hosts);
    this.#restock();
  }

  /** Runs an attempt on a host with room; rejects when its host ends before it does. */
  run(params: RunParams): Promise<Outcome> {
    if (this.#closed) return Promise.reject(new Problem('unavailable', 'This revision has stopped.'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ params, resolve, reject });
      this.#fill();
    });
  }

  /** Told by the sink when a host says `done`. */
  settle(ref: AttemptRef, outcome: Outcome): void {
    for (const host of this.#hosts) {
      const job = host.runs.get(keyOf(ref));
      if (job === undefined) continue;
      host.runs.delete(keyOf(ref));
      job.resolve(outcome);
      this.#rest(host);
    }
    this.#fill();
  }

  /** Waits until nothing runs or waits, `drain_ms` at most; then cancels what still runs, and stops the hosts. */
  async drain(drain_ms: number): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#again);
    await this.#quiet(drain_ms);
    const running = [...this.#hosts].flatMap((host) => [...host.runs.values()].map((job) => ({ host, job })));
    for (const job of this.#waiting.splice(0)) job.resolve({ outcome: 'cancelled', reason: 'drain' });
    for (const { host, job } of running) {
      const { run_id, attempt } = job.params;
      void host.process.ask('cancel', { run_id, attempt, reason: 'drain' }).catch(() => undefined);
    }
    await this.#quiet(Math.min(2000, drain_ms));
    await Promise.all([...this.#hosts].map((host) => this.#stop(host, 3000)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.drain(0);
  }

  #fill(): void {
    for (;;) {
      const [job] = this.#waiting;
      if (job === undefined) return;
      const host = this.#roomy();
      if (host === undefined) return this.#grow();
      this.#waiting.shift();
      this.#give(host, job);
    }
  }

  #roomy(): Host | undefined {
    const open = [...this.#hosts].filter(
      (host) => !host.stopping && host.runs.size < this.#options.jobs_per_host,
    );
    return open.toSorted((one, other) => one.runs.size - other.runs.size)[0];
  }

  #grow(): void {
    const alive = this.#alive();
    if (alive === 0) {
      this.#start();
      return this.#fill();
    }
    if (alive >= this.#options.max_hosts || this.#crowded !== undefined) return;
    this.#crowded = setTimeout(() => {
      this.#crowded = undefined;
      if (this.#waiting.length > 0 && this.#roomy() === undefined && !this.#closed) this.#start();
      this.#fill();
    }, CROWDED_MS);
  }

  #alive(): number {
    return [...this.#hosts].filter((host) => !host.stopping).length;
  }

  /** Starts what is missing; after deaths not before a pause. */
  #restock(): void {
    if (this.#closed || this.#again !== undefined || this.#alive() >= this.#kept) return;
    const { min, max } = this.#options.again_ms ?? AGAIN_MS;
    const pause_ms = this.#deaths === 0 ? 0 : Math.min(max, min * 2 ** (this.#deaths - 1));
    this.#again = setTimeout(() => {
      this.#again = undefined;
      while (!this.#closed && this.#alive() < this.#kept) this.#start();
    }, pause_ms).unref();
  }

  #give(host: Host, job: Job): void {
    clearTimeout(host.idle);
    host.runs.set(keyOf(job.params), job);
    const taken = host.ready.then(() => host.process.ask('run', job.params));
    taken.catch((error: unknown) => {
      if (host.runs.delete(keyOf(job.params))) job.reject(error);
    });
  }

  #start(): Host {
    const { spawn, sink, start_ms, onHosts, log } = this.#options;
    const process = spawn(sink);
    const host: Host = {
      process,
      started: Date.now(),
      ready: readyOf(process, start_ms),
      runs: new Map(),
      idle: undefined,
      stopping: false,
      failed: false,
    };
    this.#hosts.add(host);
    onHosts(1);
    const pings = setInterval(() => void this.#ping(host), PING_MS).unref();
    host.ready.then(
      () => this.#rest(host),
      () => {
        host.failed = true;
        return this.#stop(host, 0);
      },
    );
    void process.exited.then((how) => {
      clearInterval(pings);
      clearTimeout(host.idle);
      this.#hosts.delete(host);
      onHosts(-1);
      if (!host.stopping) log.warn('graph host ended', { how });
      for (const job of host.runs.values()) job.reject(new Problem('unavailable', how));
      host.runs.clear();
      const died = host.failed || !host.stopping;
      if (died) this.#deaths = Date.now() - host.started < LONG_LIFE_MS ? this.#deaths + 1 : 0;
      this.#fill();
      this.#restock();
    });
    return host;
  }

  #rest(host: Host): void {
    clearTimeout(host.idle);
    if (host.runs.size > 0 || host.stopping) return;
    host.idle = setTimeout(() => {
      if (host.runs.size === 0 && this.#alive() > this.#kept) void this.#stop(host, 5000);
    }, this.#options.idle_ms).unref();
  }

  async #ping(host: Host): Promise<void> {
    const timer = setTimeout(() => {
      this.#options.log.error('graph host does not answer; it is ended', { pid: host.process.pid });
      host.process.kill();
    }, this.#options.unresponsive_ms);
    await host.process.ask('ping', {}).catch(() => undefined);
    clearTimeout(timer);
  }

  async #stop(host: Host, grace_ms: number): Promise<void> {
    host.stopping = true;
    clearTimeout(host.idle);
    if (grace_ms > 0) await host.process.stop(grace_ms);
    else await host.process[Symbol.asyncDispose]();
  }

  async #quiet(within_ms: number): Promise<void> {
    const until = Date.now() + within_ms;
    while (
      Date.now() < until &&
      (this.#waiting.length > 0 || [...this.#hosts].some((host) => host.runs.size > 0))
    ) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

const keyOf = (ref: AttemptRef) => `${ref.run_id}:${ref.attempt}`;

async function readyOf(process: HostHandle, start_ms: number): Promise<Manifest> {
  const late = AbortSignal.timeout(start_ms);
  const timedOut = new Promise<never>((_, reject) => {
    late.addEventListener(
      'abort',
      () => reject(new Problem('unavailable', `The agent did not start within ${start_ms / 1000} s.`)),
      { once: true },
    );
  });
  const described = process.ask('describe', {}).catch(async (error: unknown) => {
    // The host's own words, when it had any; else how it ended.
    throw error instanceof Problem
      ? new Problem('unavailable', await process.exited, { cause: error })
      : error;
  });
  const { result } = await Promise.race<Reply<Manifest>>([described, timedOut]);
  return result;
}
