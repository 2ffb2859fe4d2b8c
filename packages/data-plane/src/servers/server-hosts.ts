import {
  CRASH_LIMITS,
  CrashWatch,
  type HostNames,
  type StartHindrance,
  type Trouble,
} from '@roadstead/agent-server';
import { Problem } from '@roadstead/kit';
import type { ServerRevision } from '../ports/runtime.ts';
import type { ServerAddress } from '../ports/server-place.ts';
import { ServerProcess, type ServerProcessOptions, STOP_MS } from './server-process.ts';

export interface ServerHostsOptions extends Omit<
  ServerProcessOptions,
  'image' | 'environment' | 'names' | 'onLine' | 'onHindrance'
> {
  /** The deployment that they are of. */
  readonly deployment: Pick<HostNames, 'deployment_id' | 'name'>;
  readonly revision: ServerRevision;
  /** Servers that it keeps while nobody calls. */
  readonly min_servers: number;
  /** Servers that it may have. */
  readonly max_servers: number;
  readonly idle_ms: number;
  readonly onLine: (line: string, level: 'INFO' | 'WARNING') => void;
  readonly onHosts: (change: 1 | -1) => void;
  readonly onTrouble: (trouble: Trouble | undefined) => void;
  readonly startOf?: ((revision_id: string) => StartHindrance) | undefined;
}

/** Calls that a server has at once before another one is started beside it, where there may be one. */
const CALLS_EACH = 32;
/** How soon after one look at idle servers the next one is. */
const MIN_LOOK_MS = 50;
/** A server that has answered so long was no crash. */
const LIVED_MS = 60_000;

/** The servers of one revision: started at the first call or kept, replaced when they end, stopped when nobody calls. */
export class ServerHosts implements AsyncDisposable {
  readonly #options: ServerHostsOptions;
  readonly #crashes: CrashWatch;
  /** Those that get calls. */
  readonly #servers = new Set<ServerProcess>();
  /** All that have not ended. */
  readonly #live = new Set<ServerProcess>();
  #idle: NodeJS.Timeout | undefined;
  #again: NodeJS.Timeout | undefined;
  #kept = 0;
  #closed = false;

  constructor(options: ServerHostsOptions) {
    this.#options = options;
    const { memory_mb, onTrouble } = options;
    const own_limit = options.revision.resources.memory_mb === undefined ? undefined : 'memory_limit_mb';
    this.#crashes = new CrashWatch({ limits: CRASH_LIMITS, memory_mb, what: 'server', own_limit, onTrouble });
  }

  get trouble(): Trouble | undefined {
    return this.#crashes.trouble;
  }

  /** Starts one, and waits until it answers. @throws Problem that says why it doesn't; none is left running then */
  async start(signal: AbortSignal): Promise<void> {
    const server = this.#start();
    const end = () => server.kill();
    signal.addEventListener('abort', end, { once: true });
    try {
      signal.throwIfAborted();
      await server.ready;
    } catch (error) {
      server.kill();
      await server.ended;
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener('abort', end);
    }
  }

  /** Keeps servers from now on, also while nobody calls. */
  keep(): void {
    this.#kept = this.#options.min_servers;
    this.#fill();
    this.#rest();
  }

  async fetch(request: Request): Promise<Response> {
    const { server, release } = await this.#take(request.signal);
    try {
      return await server.fetch(request, release);
    } catch (error) {
      release();
      throw error;
    }
  }

  /** A server for a connection of its own, held until what is returned is called. */
  async connect(signal: AbortSignal): Promise<{ readonly at: ServerAddress; readonly release: () => void }> {
    const { server, release } = await this.#take(signal);
    const { at } = server;
    if (at !== undefined) return { at, release };
    release();
    throw new Problem('unavailable', 'The server of this deployment ends; try again.', { retry_after_s: 1 });
  }

  /** Stops all, once their calls have ended, or after a while. */
  async drain(drain_ms: number): Promise<void> {
    this.#close();
    await Promise.all([...this.#live].map((server) => server.stop(drain_ms)));
  }

  kill(): void {
    this.#close();
    for (const server of this.#live) server.kill();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill();
    await Promise.all([...this.#live].map((server) => server.ended));
  }

  #close(): void {
    this.#closed = true;
    this.#kept = 0;
    clearTimeout(this.#idle);
    clearTimeout(this.#again);
    this.#crashes[Symbol.dispose]();
  }

  /** Takes one with the fewest calls of those that answer; the first where none does yet. It is held until what is returned is called. */
  async #take(
    signal: AbortSignal,
  ): Promise<{ readonly server: ServerProcess; readonly release: () => void }> {
    if (this.#closed)
      throw new Problem('unavailable', 'This revision has stopped; try again.', { retry_after_s: 1 });
    if (this.#servers.size === 0) {
      const { refusal } = this.#crashes;
      if (refusal !== undefined) throw refusal;
      this.#start();
      this.#fill();
    }
    const servers = [...this.#servers];
    const ready = servers.filter(({ at }) => at !== undefined);
    const [server = this.#start()] = (ready.length > 0 ? ready : servers).toSorted(
      (one, other) => one.calls - other.calls,
    );
    const held = server.hold();
    const release = () => {
      held();
      this.#rest();
    };
    const isFull = servers.every(({ calls }) => calls > CALLS_EACH);
    if (isFull && servers.length < this.#options.max_servers && this.#crashes.wait_ms === 0) this.#start();
    if (ready.length > 0) return { server, release };
    try {
      await unlessAborted(server.ready, signal);
      return { server, release };
    } catch (error) {
      release();
      throw refusal(error, signal);
    }
  }

  #fill(): void {
    const { wait_ms } = this.#crashes;
    clearTimeout(this.#again);
    if (this.#closed || this.#servers.size >= this.#kept) return;
    if (wait_ms > 0) this.#again = setTimeout(() => this.#fill(), wait_ms).unref();
    else for (let at = this.#servers.size; at < this.#kept; at += 1) this.#start();
  }

  /** Stops what nobody has called for a while, but for those that are kept; looks again when the next may be due. */
  #rest(): void {
    if (this.#closed || this.#idle !== undefined) return;
    const { idle_ms } = this.#options;
    const spare = [...this.#servers].toSorted((one, other) => one.idle_ms - other.idle_ms).slice(this.#kept);
    for (const server of spare) if (server.idle_ms >= idle_ms) void this.#stopIdle(server);
    const longest = Math.max(0, ...[...this.#servers].map((server) => server.idle_ms));
    if (this.#servers.size <= this.#kept) return;
    this.#idle = setTimeout(
      () => {
        this.#idle = undefined;
        this.#rest();
      },
      Math.max(MIN_LOOK_MS, idle_ms - longest),
    ).unref();
  }

  async #stopIdle(server: ServerProcess): Promise<void> {
    this.#servers.delete(server);
    await server.stop(STOP_MS);
  }

  #start(): ServerProcess {
    const { revision, deployment, onLine, onHosts, startOf, ...options } = this.#options;
    this.#crashes.started();
    const server = new ServerProcess({
      ...options,
      names: { ...deployment, revision_id: revision.revision_id },
      image: revision.server,
      environment: revision.environment,
      onHindrance: startOf?.(revision.revision_id),
      onLine: (line, stream) => onLine(line, stream === 'stderr' ? 'WARNING' : 'INFO'),
    });
    this.#servers.add(server);
    this.#live.add(server);
    onHosts(1);
    let lived: NodeJS.Timeout | undefined;
    server.ready.then(
      () => {
        lived = setTimeout(() => this.#crashes.lived(server.started_at), LIVED_MS).unref();
      },
      () => undefined,
    );
    void server.ended.then((end) => {
      clearTimeout(lived);
      this.#live.delete(server);
      onHosts(-1);
      // The end of one that still got calls is an accident.
      if (!this.#servers.delete(server) || this.#closed) return;
      this.#crashes.ended({ out_of_memory: end.kind === 'out of memory' });
      this.#fill();
    });
    return server;
  }
}

async function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const aborted = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  aborted.catch(() => undefined);
  await Promise.race([work, aborted]);
}

/** Callers need not know how a start failed: the status of the deployment says that. */
function refusal(error: unknown, signal: AbortSignal): Error {
  if (signal.aborted) return signal.reason as Error;
  return new Problem('unavailable', 'The server of this deployment does not start; try again.', {
    cause: error,
    retry_after_s: 5,
    hint: 'The status of the deployment says more.',
  });
}
