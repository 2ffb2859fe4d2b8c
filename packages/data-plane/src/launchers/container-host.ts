import { chown, realpath, stat } from 'node:fs/promises';
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
import { isWithin } from '@roadstead/fence';
import { type Log, Problem, randomToken } from '@roadstead/kit';
import { clashesOf, hostContainer } from './host-container.ts';
import { type HostDoor, openHostDoor } from './host-door.ts';

interface ContainerHostOptions {
  readonly engine: ContainerEngine;
  readonly image: string;
  readonly network: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly hidden: string;
  readonly log: Log;
}

/** As root, user code is this user: it owns nothing else. */
const ORDINARY_USER = 1000;
/** How long what a host said last is waited for, on each of its connections. */
const LAST_WORDS_MS = 2000;
/** How often an engine that is away, or slow, is asked again. */
const AGAIN_MS = 500;
/** How long the removal of a container is waited for before its host counts as ended; it goes on after that. */
const REMOVAL_MS = 30_000;
/** What a host without a channel may take to end by itself. */
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
  #channel: Duplex | undefined;
  #removal: Promise<void> | undefined;

  constructor(options: ContainerHostOptions, order: HostOrder) {
    this.#options = options;
    const { kind, program } = hostProgram(order);
    this.memory_full = kind.memory_full;
    this.connections = this.#connected.promise;
    this.connections.catch(() => undefined);
    this.ended = this.#run(program).catch((error: unknown) => this.#failed(error));
  }

  /** Ends it at once; one that has not started never does. */
  kill(): void {
    if (this.#stop.signal.aborted) return;
    this.#stop.abort(new Error('The host was killed.'));
    void this.#remove();
  }

  async #run(program: HostProgram['program']): Promise<HostEnd> {
    const user = process.getuid?.() === 0 ? ORDINARY_USER : undefined;
    await using door = await openHostDoor(user);
    try {
      await this.#options.engine.create(this.#name, await this.#container(program, { door, user }));
      return await this.#live(door);
    } finally {
      // Where `create` got no answer, too, there may be one.
      await this.#remove();
      this.#connected.reject(new Error('The container has ended.'));
      for (const stream of Object.values(this.output)) stream.end();
      await this.#lastWords();
    }
  }

  async #container(
    program: HostProgram['program'],
    { door, user }: { readonly door: HostDoor; readonly user: number | undefined },
  ): Promise<Container> {
    const { image, network, labels, hidden } = this.#options;
    const [command, ...args] = program.command;
    const reads = await existing(program.reads.filter((path) => !isWithin(hidden, path)));
    const [clash] = clashesOf(reads);
    if (clash !== undefined)
      throw new Problem('invalid', `It reads ${clash} of this machine, which a container has of its image.`, {
        hint: 'Have the Python of the project brought by uv, instead of that of the system.',
      });
    // What it may write to is that user's.
    if (user !== undefined) await Promise.all(program.writes.map((path) => chown(path, user, user)));
    const [uid, gid] = user === undefined ? [process.getuid?.(), process.getgid?.()] : [user, user];
    return hostContainer(
      { ...program, reads, command: [await realpath(command), ...args] },
      { image, network, labels, door, user: `${uid}:${gid}` },
    );
  }

  async #live(door: HostDoor): Promise<HostEnd> {
    const { engine } = this.#options;
    const { signal } = this.#stop;
    signal.throwIfAborted();
    const printed = await engine.attach(this.#name, signal);
    try {
      const told = demultiplex(printed, this.output).catch(() => undefined);
      door.connections.then(
        (connections) => this.#connect(connections),
        () => undefined,
      );
      signal.throwIfAborted();
      await engine.start(this.#name);
      const end = await this.#end();
      await within(LAST_WORDS_MS, told);
      return end;
    } finally {
      printed.destroy();
    }
  }

  #connect(connections: HostConnections): void {
    const { channel } = connections;
    this.#channel = channel;
    this.#connected.resolve(connections);
    // A host without a channel can do nothing more: it ends, or is ended.
    channel.once('close', () => setTimeout(() => this.kill(), UNHEARD_MS).unref());
  }

  /** Waits for its end, beyond outages of the engine: while its channel is open it runs. */
  async #end(): Promise<HostEnd> {
    const { engine, log } = this.#options;
    for (;;) {
      try {
        const code = await engine.wait(this.#name, this.#stop.signal);
        const state = await engine.inspect(this.#name);
        if (code === undefined || state === undefined) return KILLED;
        if (!state.running) return endBy(code, state);
      } catch (error) {
        this.#stop.signal.throwIfAborted();
        if (this.#channel === undefined || this.#channel.destroyed) {
          log.warn('a container of a graph host is lost', { container: this.#name, error });
          return { kind: 'lost', why: 'the container engine is away.' };
        }
      }
      await pause(AGAIN_MS, undefined, { signal: this.#stop.signal });
    }
  }

  /** What its connections still hold is read before its end is told. */
  async #lastWords(): Promise<void> {
    const streams: Readable[] = Object.values(this.output);
    if (this.#channel !== undefined) streams.push(this.#channel);
    const all = streams.map((stream) => finished(stream, { writable: false }).catch(() => undefined));
    await within(LAST_WORDS_MS, Promise.all(all));
  }

  /** Resolves once the container is gone, or after a while; it is tried until it is gone. */
  async #remove(): Promise<void> {
    this.#removal ??= this.#untilRemoved();
    await within(REMOVAL_MS, this.#removal);
  }

  async #untilRemoved(): Promise<void> {
    const { engine, log } = this.#options;
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
function endBy(code: number, { out_of_memory }: { readonly out_of_memory: boolean }): HostEnd {
  if (out_of_memory && code === KILLED_CODE) return { kind: 'out of memory' };
  const by = Object.entries(constants.signals).find(([, number]) => number === code - 128);
  return by === undefined ? { kind: 'exited', code } : { kind: 'killed', signal: by[0] };
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const stop = new AbortController();
  const late = pause(ms, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
  await Promise.race([work, late]);
  stop.abort();
}

async function existing(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    paths.map((path) =>
      stat(path).then(
        () => [path],
        () => [],
      ),
    ),
  );
  return found.flat();
}
