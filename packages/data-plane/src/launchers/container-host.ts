import { constants } from 'node:os';
import { type Duplex, PassThrough, type Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type HostConnections,
  type HostEnd,
  type HostOrder,
  type HostProgram,
  hostProgram,
  type LaunchedHost,
} from '@roadstead/agent-server';
import { type Container, type ContainerEngine, demultiplex, EngineRefusal } from '@roadstead/containers';
import { type Log, Problem, randomToken } from '@roadstead/kit';
import { hostContainer } from './host-container.ts';
import { type HostDoor, openHostDoor } from './host-door.ts';
import { containerUser, giveFolder, readsFor } from './host-files.ts';

export interface ContainerHostOptions {
  readonly engine: ContainerEngine;
  readonly image: string;
  readonly network: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Our data folder, of which a host sees its own parts alone. */
  readonly hidden: string;
  /** Where the doors of hosts are; undefined for the system's folder of temporary files. */
  readonly doors: string | undefined;
  readonly log: Log;
}

/** How long what a host said last is waited for, on each of its connections. */
const LAST_WORDS_MS = 2000;
/** How often an engine that is away, or slow, is asked again. */
const AGAIN_MS = 500;
/** How long the removal of a container is waited for before its host counts as ended; it goes on after that. */
const REMOVAL_MS = 10_000;
/** How long a host without a channel may take to end by itself. */
const UNHEARD_MS = 5000;
/** The exit code of a program that the kernel ended for its memory (SIGKILL). */
const KILLED_CODE = 137;

const KILLED: HostEnd = { kind: 'killed', signal: 'SIGKILL' };

/** One container with a graph host, from its order to its removal. */
export class ContainerHost implements LaunchedHost {
  readonly output = { stdout: new PassThrough(), stderr: new PassThrough() };
  readonly pid = undefined;
  readonly memory_full: LaunchedHost['memory_full'];
  readonly connections: Promise<HostConnections>;
  readonly ended: Promise<HostEnd>;
  readonly #options: ContainerHostOptions;
  readonly #name = `roadstead-host-${randomToken(12)}`;
  readonly #connected = Promise.withResolvers<HostConnections>();
  readonly #stop = new AbortController();
  /** Settles when the engine has answered whether it makes the container. */
  #created: Promise<unknown> | undefined;
  #open: HostConnections | undefined;
  #removal: Promise<void> | undefined;

  constructor(options: ContainerHostOptions, order: HostOrder) {
    this.#options = options;
    const { kind, program } = hostProgram(order);
    this.memory_full = kind.memory_full;
    this.connections = this.#connected.promise;
    this.connections.catch(() => undefined);
    this.ended = this.#run(program)
      .catch((error: unknown) => this.#failed(error))
      .finally(() => this.#settle());
  }

  /** Ends it at once; one that has not started never does. */
  kill(): void {
    if (this.#stop.signal.aborted) return;
    this.#stop.abort(new Error('The host was killed.'));
    for (const connection of Object.values(this.#open ?? {}) as Duplex[]) connection.destroy();
    void this.#remove();
  }

  async #run(program: HostProgram['program']): Promise<HostEnd> {
    const user = containerUser();
    await using door = await openHostDoor({ place: this.#options.doors, user: user.given });
    try {
      const container = await this.#container(program, { door, user });
      this.#stop.signal.throwIfAborted();
      this.#created = this.#options.engine.create(this.#name, container);
      await this.#created;
      return await this.#live(door);
    } finally {
      await this.#remove();
      for (const stream of Object.values(this.output)) stream.end();
      await this.#lastWords();
    }
  }

  async #container(
    program: HostProgram['program'],
    { door, user }: { readonly door: HostDoor; readonly user: ReturnType<typeof containerUser> },
  ): Promise<Container> {
    const { image, network, labels, hidden } = this.#options;
    const shown = await readsFor(program, hidden);
    if (user.given !== undefined)
      await Promise.all(program.writes.map((path) => giveFolder(path, user.given)));
    return hostContainer({ ...program, ...shown }, { image, network, labels, door, user: user.name });
  }

  async #live(door: HostDoor): Promise<HostEnd> {
    const { engine } = this.#options;
    const { signal } = this.#stop;
    const printed = await engine.attach(this.#name, signal);
    try {
      const told = demultiplex(printed, this.output).catch(() => undefined);
      door.connections.then(
        (connections) => this.#connect(connections),
        () => undefined,
      );
      await engine.start(this.#name, signal);
      const end = await this.#end();
      await within(LAST_WORDS_MS, told);
      return end;
    } finally {
      printed.destroy();
    }
  }

  #connect(connections: HostConnections): void {
    this.#open = connections;
    this.#connected.resolve(connections);
    // A host without a channel can do nothing more: it ends, or is ended.
    const end = () => setTimeout(() => void this.#endUnheard(), UNHEARD_MS).unref();
    const { channel } = connections;
    if (channel.destroyed) end();
    else channel.once('close', end);
  }

  /** How one that has ended ended is for who waits for it to say. */
  async #endUnheard(): Promise<void> {
    const state = await this.#options.engine.inspect(this.#name).catch(() => undefined);
    if (state?.running !== false) this.kill();
  }

  /** Waits for its end, beyond outages of the engine: while its channel is open it runs. */
  async #end(): Promise<HostEnd> {
    const { engine, log } = this.#options;
    const { signal } = this.#stop;
    for (;;) {
      try {
        await engine.wait(this.#name, signal);
        const state = await engine.inspect(this.#name, signal);
        if (state === undefined) return KILLED;
        if (!state.running) return endOf(state);
      } catch (error) {
        signal.throwIfAborted();
        if (this.#open?.channel.destroyed === true) {
          log.warn('a container of a graph host is lost', { container: this.#name, error });
          return { kind: 'lost', why: 'the container engine is away.' };
        }
      }
      await pause(AGAIN_MS, undefined, { signal });
    }
  }

  /** Waits until its connections are read to their end: that comes before its own. */
  async #lastWords(): Promise<void> {
    const streams: Readable[] = Object.values(this.output);
    if (this.#open !== undefined) streams.push(this.#open.channel);
    const all = streams.map((stream) => finished(stream, { writable: false }).catch(() => undefined));
    await within(LAST_WORDS_MS, Promise.all(all));
  }

  #settle(): void {
    this.#connected.reject(new Error('The container has ended.'));
    for (const stream of Object.values(this.output)) stream.end();
  }

  /** Resolves once the container is gone, or after a while; it is tried until it is gone. */
  async #remove(): Promise<void> {
    this.#removal ??= this.#untilRemoved();
    await within(REMOVAL_MS, this.#removal);
  }

  async #untilRemoved(): Promise<void> {
    const { engine, log } = this.#options;
    const isUnanswered = await (this.#created ?? Promise.resolve()).then(
      () => false,
      (error: unknown) => !(error instanceof EngineRefusal),
    );
    // One that was not answered may make the container yet.
    if (isUnanswered) await pause(REMOVAL_MS, undefined, { ref: false });
    for (let tries = 1; ; tries += 1) {
      try {
        await engine.remove(this.#name);
        return;
      } catch (error) {
        // Another removal of it is under way.
        const isUnderWay = error instanceof EngineRefusal && error.status === 409;
        if (!isUnderWay && tries === 1)
          log.warn('a container of a graph host could not be removed', { container: this.#name, error });
      }
      await pause(AGAIN_MS * Math.min(tries, 20), undefined, { ref: false });
    }
  }

  /** Says no more than a tenant may read: an engine names paths and images of this machine. */
  #failed(error: unknown): HostEnd {
    if (this.#stop.signal.aborted) return KILLED;
    this.#options.log.warn('a container of a graph host could not be started', {
      container: this.#name,
      error,
    });
    if (error instanceof EngineRefusal)
      return { kind: 'not started', why: 'the container engine refused it' };
    if (!(error instanceof Problem)) return { kind: 'not started', why: 'an error of this machine' };
    const isAway = error.kind === 'unavailable';
    return { kind: 'not started', why: isAway ? 'the container engine is away' : error.message };
  }
}

/** A container reports by its exit code which signal ended its program. */
function endOf({ exit_code: code, out_of_memory }: { exit_code: number; out_of_memory: boolean }): HostEnd {
  if (out_of_memory && code === KILLED_CODE) return { kind: 'out of memory' };
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
