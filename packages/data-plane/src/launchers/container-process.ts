import { constants } from 'node:os';
import { PassThrough, type Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { HostEnd } from '@roadstead/agent-server';
import {
  type Container,
  type ContainerEngine,
  type ContainerState,
  demultiplex,
  EngineRefusal,
} from '@roadstead/containers';
import { type Log, Problem, randomToken } from '@roadstead/kit';
import { isEngineAway } from '../images/engine-away.ts';
import { SourceAway } from '../ports/source-away.ts';
import { createContainer } from './create-container.ts';

/** What programs of users are started with in containers, whichever they are. */
export interface ContainerPlace {
  readonly engine: ContainerEngine;
  /** The image that they run in, unless their revision has its own. */
  readonly image: string;
  /** Brings an image, unless the engine has it. */
  readonly ensureImage: (reference: string, signal: AbortSignal) => Promise<void>;
  readonly network: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Our data folder, of which a program sees its own parts alone. */
  readonly hidden: string;
  /** Where files of ours lie that are mounted, as the doors of hosts are; undefined for the system's folder of temporary files. */
  readonly doors: string | undefined;
  readonly log: Log;
}

export interface ContainerProcessOptions {
  readonly engine: ContainerEngine;
  readonly log: Log;
  /** What runs in it, for its name and for the log, such as `host`. */
  readonly what: 'host' | 'server' | 'build';
}

interface RunOptions {
  /** Brings its image, unless it is there: engines remove what no container uses. */
  readonly ensureImage?: ((signal: AbortSignal) => Promise<void>) | undefined;
  /** Called once it has started. */
  readonly onStarted?: () => void;
  /** Whether anything shows that it runs, while its engine is away. */
  readonly isHeard: () => boolean;
}

/** How long what a container printed last is waited for. */
const LAST_WORDS_MS = 2000;
/** How often an engine that is away, or slow, is asked again. */
const AGAIN_MS = 500;
/** How long the removal of a container is waited for before it counts as ended; it goes on after that. */
const REMOVAL_MS = 10_000;
/** The exit code of a program that the kernel ended for its memory (SIGKILL). */
const KILLED_CODE = 137;

const KILLED: HostEnd = { kind: 'killed', signal: 'SIGKILL' };

/** One container, from its order to its removal. */
export class ContainerProcess {
  readonly output = { stdout: new PassThrough(), stderr: new PassThrough() };
  readonly name: string;
  readonly #options: ContainerProcessOptions;
  readonly #stop = new AbortController();
  /** Settles when the engine has answered whether it makes the container. */
  #created: Promise<unknown> | undefined;
  #removal: Promise<void> | undefined;

  constructor(options: ContainerProcessOptions) {
    this.#options = options;
    this.name = `roadstead-${options.what}-${randomToken(12)}`;
  }

  get isKilled(): boolean {
    return this.#stop.signal.aborted;
  }

  /** Ends it at once; one that has not started never does. */
  kill(): void {
    if (this.isKilled) return;
    this.#stop.abort(new Error('The container was killed.'));
    void this.#remove();
  }

  /**
   * Runs it to its end, and removes it.
   * @throws what prevents its start: `failed` says it in words
   */
  async run(container: Container, options: RunOptions): Promise<HostEnd> {
    try {
      await options.ensureImage?.(this.#stop.signal);
      this.#stop.signal.throwIfAborted();
      this.#created = createContainer(this.#options.engine, { name: this.name, container });
      await this.#created;
      return await this.#live(options);
    } finally {
      await this.#remove();
      this.endOutput();
      await lastWordsOf(Object.values(this.output));
    }
  }

  async inspect(): Promise<ContainerState | undefined> {
    return await this.#options.engine.inspect(this.name);
  }

  endOutput(): void {
    for (const stream of Object.values(this.output)) stream.end();
  }

  /** Says no more than a tenant may read: an engine names paths and images of this machine. */
  failed(error: unknown): HostEnd {
    if (this.isKilled) return KILLED;
    const { log, what } = this.#options;
    log.warn('a container could not be started', { what, container: this.name, error });
    if (error instanceof EngineRefusal)
      return { kind: 'not started', why: 'the container engine refused it' };
    if (isEngineAway(error)) return { kind: 'not started', why: 'the container engine is away' };
    if (error instanceof SourceAway) return { kind: 'not started', why: error.problem.message };
    const why = error instanceof Problem ? error.message : 'an error of this machine';
    return { kind: 'not started', why };
  }

  async #live({ onStarted, isHeard }: RunOptions): Promise<HostEnd> {
    const { engine } = this.#options;
    const { signal } = this.#stop;
    const printed = await engine.attach(this.name, signal);
    try {
      const told = demultiplex(printed, this.output).catch(() => undefined);
      await engine.start(this.name, signal);
      onStarted?.();
      const end = await this.#end(isHeard);
      await within(LAST_WORDS_MS, told);
      return end;
    } finally {
      printed.destroy();
    }
  }

  /** Waits for its end, beyond outages of the engine: while it is heard it runs. */
  async #end(isHeard: () => boolean): Promise<HostEnd> {
    const { engine, log, what } = this.#options;
    const { signal } = this.#stop;
    for (;;) {
      try {
        await engine.wait(this.name, signal);
        const state = await engine.inspect(this.name, signal);
        if (state === undefined) return KILLED;
        if (!state.running) return endOf(state, what);
      } catch (error) {
        signal.throwIfAborted();
        if (!isHeard()) {
          log.warn('a container is lost', { what, container: this.name, error });
          return { kind: 'lost', why: 'the container engine is away.' };
        }
      }
      await pause(AGAIN_MS, undefined, { signal });
    }
  }

  /** Resolves once the container is gone, or after a while; it is tried until it is gone. */
  async #remove(): Promise<void> {
    this.#removal ??= this.#untilRemoved();
    await within(REMOVAL_MS, this.#removal);
  }

  async #untilRemoved(): Promise<void> {
    const { engine, log, what } = this.#options;
    // Nobody asked for it, as its image could not be had: nor will anybody, since a killed one is not created.
    if (this.#created === undefined) return;
    const isUnanswered = await this.#created.then(
      () => false,
      (error: unknown) => !(error instanceof EngineRefusal),
    );
    // One that was not answered may make the container yet.
    if (isUnanswered) await pause(REMOVAL_MS, undefined, { ref: false });
    for (let tries = 1; ; tries += 1) {
      try {
        await engine.remove(this.name);
        return;
      } catch (error) {
        // Another removal of it is under way.
        const isUnderWay = error instanceof EngineRefusal && error.status === 409;
        if (!isUnderWay && tries === 1)
          log.warn('a container could not be removed', { what, container: this.name, error });
      }
      await pause(AGAIN_MS * Math.min(tries, 20), undefined, { ref: false });
    }
  }
}

/** Waits until these are read to their end, or a little. */
export async function lastWordsOf(streams: readonly Readable[]): Promise<void> {
  const all = streams.map((stream) => finished(stream, { writable: false }).catch(() => undefined));
  await within(LAST_WORDS_MS, Promise.all(all));
}

/**
 * A container reports by its exit code which signal ended its program. A command of a build passes on as it likes that one of its processes was
 * ended for its memory; a host or server lives on without it, or is that process itself.
 */
function endOf(
  { exit_code: code, out_of_memory }: ContainerState,
  what: ContainerProcessOptions['what'],
): HostEnd {
  if (out_of_memory && (what === 'build' ? code !== 0 : code === KILLED_CODE))
    return { kind: 'out of memory' };
  const by = Object.entries(constants.signals).find(([, number]) => number === code - 128);
  return by === undefined ? { kind: 'exited', code } : { kind: 'killed', signal: by[0] };
}

/** Waits for work, but no longer than that; our process lives until then. */
async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const stop = new AbortController();
  const late = pause(ms, undefined, { signal: stop.signal }).catch(() => undefined);
  await Promise.race([work, late]);
  stop.abort();
}
