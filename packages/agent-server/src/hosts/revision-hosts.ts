import type {
  AttemptRef,
  Description,
  EngineCalls,
  HostLoad,
  RunResult,
  RunParams,
} from '@roadstead/contracts/host';
import { Problem } from '@roadstead/kit';
import type { AttemptResult } from './attempt-result.ts';
import { CRASH_LIMITS, type Trouble } from './crash-rules.ts';
import { CrashWatch } from './crash-watch.ts';
import { GraphHost, type Job } from './graph-host.ts';
import { HostNotices } from './host-notices.ts';
import type { HostHandle } from './host-process.ts';
import {
  areTooMany,
  calmHost,
  mayStart,
  placeAlone,
  roomAtOnce,
  roomToCome,
  roomyHost,
  whenToGrow,
} from './host-rules.ts';
import type { RevisionHostsOptions } from './revision-hosts-options.ts';
import type { RunSink } from './run-sink.ts';
import { Suspects } from './suspects.ts';
import { LATER, type HostUse, WaitingJobs } from './waiting-jobs.ts';

/** How long all hosts must be full before another one starts; and how often it is looked whether they are. */
const CROWDED_MS = 500;
const PULSE = { ping_ms: 2000, silent_ms: 5000 };
const AGAIN_MS = { min: 1000, max: 60_000 };
/** A host that has lived so long did not die of being started. */
const LONG_LIFE_MS = 60_000;

const UNMOVED: Pick<Job, 'moves'> = { moves: 0 };

/** A host while it is used; given back by disposing of it. */
export interface BorrowedHost extends Disposable {
  readonly process: HostHandle;
}

/**
 * The graph hosts of one revision: started at the first run, stopped when idle, each with as many runs as it has room for. Of an
 * active revision so many as are wanted are always kept.
 */
export class RevisionHosts implements AsyncDisposable {
  readonly #options: RevisionHostsOptions;
  readonly #hosts = new Set<GraphHost>();
  readonly #waiting = new WaitingJobs();
  readonly #notices: HostNotices;
  readonly #suspects = new Suspects();
  readonly #crashes: CrashWatch;
  /** Until a host may be started again. */
  #held: NodeJS.Timeout | undefined;
  #crowded: NodeJS.Timeout | undefined;
  #again: NodeJS.Timeout | undefined;
  #kept = 0;
  /** Hosts that ended by themselves soon after their start, one after the other. */
  #deaths = 0;
  #closed = false;

  constructor(options: RevisionHostsOptions) {
    this.#options = options;
    this.#notices = new HostNotices(options);
    this.#crashes = new CrashWatch({ ...options, limits: options.crash_limits ?? CRASH_LIMITS });
  }

  /** How many runs hosts have, and how many more they would take at once: none while any waits. */
  get load(): { readonly runs: number; readonly room: number } {
    const runs = [...this.#hosts].reduce((sum, host) => sum + host.runs, 0);
    const limits = this.#suspects.careful(this.#options);
    return { runs, room: this.#waiting.length > 0 || this.#closed ? 0 : roomAtOnce(this.#open(), limits) };
  }

  get trouble(): Trouble | undefined {
    return this.#crashes.trouble;
  }

  /** Why no run can begin for now: no host is there, and none may be started. */
  get refusal(): Problem | undefined {
    return this.#open().length > 0 ? undefined : this.#crashes.refusal;
  }

  /** Starts a host, if none runs, and asks what it loaded. */
  async describe(signal: AbortSignal): Promise<Description> {
    const host = [...this.#hosts].find((one) => !one.stopping) ?? this.#start();
    return Promise.race([host.ready, givenUp(signal)]);
  }

  /** The revision is active: from here on hosts are kept while nothing runs, too. */
  keep(): void {
    this.#kept = Math.min(this.#options.min_hosts, this.#options.max_hosts);
    this.#restock();
  }

  /** Runs an attempt on a host with room; rejects when its host ends before it does. */
  run(params: RunParams, principal: string, { moves } = UNMOVED): Promise<AttemptResult> {
    if (this.#closed) return Promise.reject(new Problem('unavailable', 'This revision has stopped.'));
    return new Promise((resolve, reject) => {
      const alone = this.#suspects.has(params.run_id);
      this.#waiting.push({ params, principal, alone, moves, resolve, reject });
      this.#fill();
    });
  }

  /** Ends an attempt: one that waits at once, one that a host has when the host obeys. */
  cancel(ref: AttemptRef, why?: string): void {
    for (const host of this.#hosts) if (host.has(ref)) host.cancel(ref, { reason: 'cancel', why });
    this.#waiting.cancel(ref);
  }

  /** Asks a host that answers; one is started where none does. */
  async ask<M extends keyof EngineCalls>(
    method: M,
    params: EngineCalls[M]['params'],
  ): Promise<EngineCalls[M]['result']> {
    using borrowed = await this.borrow();
    return (await borrowed.process.ask(method, params)).result;
  }

  /** A host, for something that is no run; one is started where none answers. It stays until it is given back. */
  async borrow(): Promise<BorrowedHost> {
    if (this.#closed) throw new Problem('unavailable', 'This revision has stopped.');
    const host = calmHost(this.#open()) ?? this.#startAnother();
    const place = host.borrow(() => this.#rest(host));
    await host.ready.catch((error: unknown) => {
      place[Symbol.dispose]();
      throw error;
    });
    return { process: host.process, ...place };
  }

  /** Told by the sink when a host says `done`. */
  settle(ref: AttemptRef, outcome: RunResult): void {
    for (const host of this.#hosts) {
      if (!host.settle(ref, outcome)) continue;
      if (outcome.outcome !== 'cancelled') this.#suspects.clear(ref.run_id);
      this.#fill();
      this.#rest(host);
    }
  }

  /** Waits until nothing runs or waits, `drain_ms` at most; then cancels what still runs, and stops the hosts. */
  async drain(drain_ms: number): Promise<void> {
    this.#closed = true;
    for (const timer of [this.#again, this.#held, this.#crowded]) clearTimeout(timer);
    if (this.refusal !== undefined) this.#waiting.sendAway();
    this.#crashes[Symbol.dispose]();
    await this.#quiet(drain_ms);
    this.#waiting.sendAway();
    for (const host of this.#hosts) for (const job of host.jobs()) host.cancel(job.params);
    await this.#quiet(Math.min(2000, drain_ms));
    await Promise.all([...this.#hosts].map((host) => this.#stop(host, 3000)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.drain(0);
  }

  #fill(): void {
    this.#fillAlone();
    while (this.#waiting.has('shared')) {
      const host = roomyHost(this.#open(), this.#suspects.careful(this.#options)) ?? this.#grown();
      if (host === undefined) return;
      this.#give(host, 'shared');
    }
  }

  #startAnother(): GraphHost {
    if (this.#isHeld() || !mayStart(this.#open(), this.#options))
      throw (
        this.#crashes.refusal ??
        new Problem('unavailable', 'No graph host answers; try again.', { retry_after_s: 5 })
      );
    return this.#start();
  }

  #fillAlone(): void {
    while (this.#waiting.has('alone')) {
      const place = placeAlone(this.#open(), this.#options);
      if (place === 'wait' || (place === 'new' && this.#isHeld())) return;
      this.#give(place === 'new' ? this.#start() : place.host, 'alone');
    }
  }

  #give(host: GraphHost, sharing: HostUse): void {
    const job = this.#waiting.take(sharing);
    if (job !== undefined) host.give(job);
  }

  /** A new host, where one is to start at once. */
  #grown(): GraphHost | undefined {
    const when = whenToGrow(this.#open(), this.#options);
    if (when !== 'never' && this.#isHeld()) return undefined;
    if (when === 'now') return this.#start();
    // Where none may start, too: that a host has room again follows from the time as well, which tells nobody.
    this.#crowded ??= setTimeout(() => {
      this.#crowded = undefined;
      if (this.#isCrowded() && !this.#closed && !this.#isHeld()) this.#start();
      this.#fill();
    }, CROWDED_MS);
    return undefined;
  }

  /** Whether hosts end so often that none may be started now; what waits gets its turn when one may. */
  #isHeld(): boolean {
    const { wait_ms } = this.#crashes;
    if (wait_ms === 0) return false;
    this.#held ??= setTimeout(() => {
      this.#held = undefined;
      if (!this.#closed) this.#fill();
    }, wait_ms).unref();
    return true;
  }

  #isCrowded(): boolean {
    const open = this.#open();
    const limits = this.#suspects.careful(this.#options);
    if (!this.#waiting.has('shared') || roomyHost(open, limits) !== undefined) return false;
    if (this.#waiting.length <= roomToCome(open, limits)) return false;
    return whenToGrow(open, this.#options) !== 'never';
  }

  #open(): GraphHost[] {
    return [...this.#hosts].filter((host) => !host.stopping);
  }

  /** How many answer. */
  #alive(): number {
    return this.#open().filter((host) => !host.silent).length;
  }

  /** Starts what is missing; after deaths not before a pause. */
  #restock(): void {
    if (this.#closed || this.#again !== undefined || this.#alive() >= this.#kept) return;
    const { min, max } = this.#options.again_ms ?? AGAIN_MS;
    const after_death_ms = this.#deaths === 0 ? 0 : Math.min(max, min * 2 ** (this.#deaths - 1));
    const pause_ms = Math.max(after_death_ms, this.#crashes.wait_ms);
    this.#again = setTimeout(() => {
      this.#again = undefined;
      while (!this.#closed && this.#alive() < this.#kept && mayStart(this.#open(), this.#options))
        this.#start();
    }, pause_ms).unref();
  }

  #start(): GraphHost {
    const { spawn, sink, start_ms, unresponsive_ms, pulse = PULSE, onHosts } = this.#options;
    const host: GraphHost = new GraphHost({
      process: spawn(hearingLoad(sink, (load) => host.tellLoad(load))),
      start_ms,
      ...pulse,
      unresponsive_ms,
      on: {
        room: () => this.#fill(),
        silent: (one) => this.#fellSilent(one),
        heldUp: (one) => this.#heldUp(one),
        heldTooLong: (one) => this.#notices.heldTooLong(one),
        back: (one, after_ms) => this.#cameBack(one, after_ms),
        lost: (one) => this.#notices.lost(one),
      },
    });
    this.#hosts.add(host);
    this.#crashes.started();
    const well = setTimeout(() => this.#crashes.lived(host.started), LONG_LIFE_MS).unref();
    void host.process.exited.then(() => clearTimeout(well));
    onHosts(1);
    host.ready.then(
      () => this.#rest(host),
      () => {
        host.failed = true;
        return this.#stop(host, 0);
      },
    );
    void host.process.exited.then((how) => this.#ended(host, how));
    return host;
  }

  #ended(host: GraphHost, how: string): void {
    this.#hosts.delete(host);
    const { out_of_memory, breach } = host.process;
    const fault = this.#suspects.ended({ silent: host.silent, out_of_memory, breach }, host.jobs());
    // A crash that one run caused says nothing about the revision, which goes on for all others.
    const died = fault === undefined && (host.failed || !host.stopping);
    // Known before anybody hears that there is one less.
    if (died) this.#crashes.ended({ out_of_memory });
    this.#options.onHosts(-1);
    if (!host.stopping) this.#options.log.warn('graph host ended', { how });
    for (const { params } of fault?.spared ?? []) host.settle(params, LATER);
    host.end(how);
    if (died) this.#deaths = Date.now() - host.started < LONG_LIFE_MS ? this.#deaths + 1 : 0;
    this.#fill();
    this.#restock();
  }

  #fellSilent(host: GraphHost): void {
    const taken = host.reclaimUnaccepted();
    this.#notices.silent(host, taken.length);
    for (const { job, late } of taken) {
      if (late) this.#suspects.notice(job.params.run_id);
      else this.#suspects.accuse(job.params.run_id);
      job.resolve(LATER);
    }
    this.#fill();
    this.#restock();
  }

  #heldUp(host: GraphHost): void {
    this.#notices.heldUp(host, host.moveOthers('movable'));
    this.#fill();
    this.#restock();
  }

  #cameBack(host: GraphHost, after_ms: number): void {
    this.#notices.back(host, after_ms);
    this.#fill();
    this.#rest(host);
  }

  #rest(host: GraphHost): void {
    clearTimeout(host.idle);
    if (host.busy || host.stopping) return;
    if (areTooMany(this.#open(), this.#options)) return void this.#stop(host, 5000);
    host.idle = setTimeout(() => {
      if (!host.busy && this.#alive() > this.#kept) void this.#stop(host, 5000);
    }, this.#options.idle_ms).unref();
  }

  async #stop(host: GraphHost, grace_ms: number): Promise<void> {
    host.stopping = true;
    clearTimeout(host.idle);
    if (grace_ms > 0) await host.process.stop(grace_ms);
    else await host.process[Symbol.asyncDispose]();
  }

  async #quiet(within_ms: number): Promise<void> {
    const until = Date.now() + within_ms;
    while (Date.now() < until && this.#isBusy()) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  #isBusy(): boolean {
    return this.#waiting.length > 0 || [...this.#hosts].some((host) => host.busy);
  }
}

/** Rejects once the start of a host is not wanted any more. */
const givenUp = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    const giveUp = () => reject(new Problem('unavailable', 'The start was given up.'));
    signal.addEventListener('abort', giveUp, { once: true });
  });

/** Reports of a host about itself go to its owner, and everything else to the sink. */
const hearingLoad = (sink: RunSink, onLoad: (load: HostLoad) => void): RunSink => ({
  ask: (question, beside) => sink.ask(question, beside),
  tell: (message, blobs) => (message.method === 'load' ? onLoad(message.params) : sink.tell(message, blobs)),
});
