import type { IncomingMessage } from 'node:http';
import {
  askBelow,
  forwardedHeaders,
  type HostResources,
  memberRules,
  placeOf,
} from '@roadstead/agent-server';
import { addressForCode } from '@roadstead/contracts';
import type { Manifest } from '@roadstead/contracts/host';
import { type CallerContext, createProxy, toResponse, type Verifier } from '@roadstead/http';
import { Problem, problemOf } from '@roadstead/kit';
import type { RoutePolicy, RunningDeployment, RuntimeDeployment, ServerRevision } from '../ports/runtime.ts';
import type { ServerAddress } from '../ports/server-place.ts';
import { ServerHosts, type ServerHostsOptions } from './server-hosts.ts';

/** What servers are started with, whatever their revision. */
export type ServersOptions = Pick<
  ServerHostsOptions,
  'place' | 'start_ms' | 'unresponsive_ms' | 'idle_ms'
> & {
  readonly verify: Verifier;
  /** What a revision gets that says nothing. */
  readonly defaults: {
    readonly memory_mb: number;
    readonly cpus: number | undefined;
    readonly min_hosts: number;
  };
};

/** A server says nothing of itself that the platform knows. */
const NO_GRAPHS: Manifest = { graphs: [], langgraph_version: null };
const SWITCH_DRAIN_MS = 180_000;
const STOP_DRAIN_MS = 10_000;

/** A deployment whose revisions are servers of HTTP: calls of its workspace are passed to the one that serves. */
export class ServerDeployment implements Omit<RunningDeployment, 'prepare' | 'restore'> {
  readonly #deployment: RuntimeDeployment;
  readonly #options: ServersOptions;
  readonly #requireMember: ReturnType<typeof memberRules>;
  readonly #revisions = new Map<string, ServerHosts>();
  /** Those of all revisions, and of former lives of one, until they are gone. */
  readonly #all = new Set<ServerHosts>();
  #active: ServerHosts | undefined;
  #count = 0;

  constructor(deployment: RuntimeDeployment, options: ServersOptions) {
    this.#deployment = deployment;
    this.#options = options;
    this.#requireMember = memberRules({ ...deployment, verify: options.verify });
  }

  async prepare(revision: ServerRevision, signal: AbortSignal): Promise<Manifest> {
    signal.throwIfAborted();
    const hosts = this.#hostsOf(revision);
    try {
      await hosts.start(signal);
    } catch (error) {
      await this.#drain(hosts, 0);
      throw error;
    }
    this.#put(revision.revision_id, hosts);
    return NO_GRAPHS;
  }

  restore(revision: ServerRevision): void {
    this.#put(revision.revision_id, this.#hostsOf(revision));
  }

  async activate(revision_id: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const hosts = this.#revisions.get(revision_id);
    if (hosts === undefined) throw new Problem('conflict', 'This revision has not been prepared.');
    const before = this.#active;
    this.#active = hosts;
    hosts.keep();
    if (before === hosts) return;
    if (before?.trouble !== hosts.trouble) this.#deployment.onTrouble(hosts.trouble);
    if (before === undefined) return;
    const old = [...this.#revisions].find(([, one]) => one === before)?.[0];
    void (old === undefined ? this.#drain(before, SWITCH_DRAIN_MS) : this.retire(old, SWITCH_DRAIN_MS));
  }

  async retire(revision_id: string, drain_ms: number): Promise<void> {
    const hosts = this.#revisions.get(revision_id);
    if (hosts === undefined) return;
    await this.#drain(hosts, drain_ms);
    // Unless it was prepared again meanwhile.
    if (this.#revisions.get(revision_id) === hosts) this.#revisions.delete(revision_id);
  }

  routePolicy(): RoutePolicy {
    return { verifies: true, cors: null };
  }

  async fetch(request: Request, inward: CallerContext): Promise<Response> {
    try {
      await this.#requireMember(request, inward);
      const path = inward.path ?? new URL(request.url).pathname;
      const hosts = this.#serving();
      const public_url = this.#deployment.public_url();
      return await askBelow({ request, inward, path }, { public_url, ask: (asked) => hosts.fetch(asked) });
    } catch (error) {
      const problem = problemOf(error);
      if (problem === undefined) throw error;
      return toResponse(problem, 'detail');
    }
  }

  async upgrade(
    incoming: IncomingMessage,
    { socket, head, inward }: Parameters<RunningDeployment['upgrade']>[1],
  ): Promise<undefined> {
    const context = await inward();
    const address = new URL(incoming.url ?? '/', this.#deployment.public_url());
    // The router has changed these, and no others.
    const pairs = Object.entries(incoming.headers).flatMap(pairsOf);
    const headers = new Headers(pairs);
    await this.#requireMember(new Request(address, { headers }), context);
    const gone = new AbortController();
    socket.once('close', () => gone.abort());
    if (socket.destroyed) return undefined;
    const { at, release } = await this.#serving().connect(gone.signal);
    const proxy = createProxy({ name: 'server of this deployment', at: { url: urlOf(at) } });
    socket.once('close', () => {
      release();
      proxy[Symbol.dispose]();
    });
    if (socket.destroyed) {
      release();
      return undefined;
    }
    const forwarded = forwardedHeaders(placeOf(this.#deployment.public_url()));
    const others = pairs.filter(([name]) => !(name.toLowerCase() in forwarded));
    incoming.rawHeaders = [...others, ...Object.entries(forwarded)].flat();
    incoming.url = `${context.path ?? '/'}${addressForCode(address.search)}`;
    proxy.upgrade(incoming, { socket, head });
    return undefined;
  }

  hosts(): number {
    return this.#count;
  }

  kill(): void {
    for (const hosts of this.#all) hosts.kill();
  }

  async close(drain_ms: number): Promise<void> {
    await Promise.all([...this.#all].map((hosts) => this.#drain(hosts, drain_ms)));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close(STOP_DRAIN_MS);
  }

  /** Another life of it, which nobody activated, ends. */
  #put(revision_id: string, hosts: ServerHosts): void {
    const before = this.#revisions.get(revision_id);
    this.#revisions.set(revision_id, hosts);
    if (before !== undefined && before !== this.#active) void this.#drain(before, SWITCH_DRAIN_MS);
  }

  async #drain(hosts: ServerHosts, drain_ms: number): Promise<void> {
    await hosts.drain(drain_ms);
    this.#all.delete(hosts);
  }

  #serving(): ServerHosts {
    if (this.#active !== undefined) return this.#active;
    throw new Problem('unavailable', 'Nothing serves here yet; try again.', { retry_after_s: 2 });
  }

  #hostsOf(revision: ServerRevision): ServerHosts {
    const { onHosts, onLog, onTrouble, startOf } = this.#deployment;
    const { defaults, ...options } = this.#options;
    const {
      memory_mb,
      cpus,
      min_hosts = defaults.min_hosts,
      max_hosts = 1,
    }: HostResources = revision.resources;
    const hosts: ServerHosts = new ServerHosts({
      ...options,
      deployment: this.#deployment,
      revision,
      memory_mb: memory_mb ?? defaults.memory_mb,
      cpus: cpus ?? defaults.cpus,
      min_servers: min_hosts,
      max_servers: Math.max(min_hosts, max_hosts),
      onLine: (message, level) =>
        onLog({ revision_id: revision.revision_id, at: new Date().toISOString(), level, message }),
      onHosts: (change) => {
        this.#count += change;
        onHosts(this.#count);
      },
      startOf,
      onTrouble: (trouble) => {
        if (this.#active === hosts) onTrouble(trouble);
      },
    });
    this.#all.add(hosts);
    return hosts;
  }
}

const pairsOf = ([name, value = []]: readonly [string, string | string[] | undefined]): [string, string][] =>
  [value].flat().map((one) => [name, one]);

const urlOf = ({ host, port }: ServerAddress) => `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
