import type { IncomingMessage } from 'node:http';
import type { AgentServer } from '@roadstead/agent-server';
import type { Manifest } from '@roadstead/contracts/host';
import type { CallerContext } from '@roadstead/http';
import { Problem } from '@roadstead/kit';
import {
  isServer,
  type RoutePolicy,
  type RunningDeployment,
  type RuntimeRevision,
} from '../ports/runtime.ts';
import type { ServerDeployment } from '../servers/server-deployment.ts';

/** The two kinds of deployments: with graphs, which have runs and conversations, and servers, which are passed calls. */
interface Kinds {
  readonly graphs: AgentServer;
  readonly server: ServerDeployment;
}
type Kind = keyof Kinds;

interface KnownRevision {
  readonly kind: Kind;
  readonly connections?: number | undefined;
}

interface AnyDeploymentOptions extends Kinds {
  /** Limits the connections to the deployment's database. */
  readonly limitConnections: (connections: number | undefined) => Promise<void>;
}

/**
 * A deployment of either kind; the first revision that serves decides which. A revision of the other kind is refused: what the
 * deployment keeps, its callers could not reach any more.
 */
export class AnyDeployment implements RunningDeployment {
  readonly #kinds: Kinds;
  readonly #limitConnections: AnyDeploymentOptions['limitConnections'];
  readonly #known = new Map<string, KnownRevision>();
  #serving: KnownRevision | undefined;

  constructor({ limitConnections, ...kinds }: AnyDeploymentOptions) {
    this.#kinds = kinds;
    this.#limitConnections = limitConnections;
  }

  async prepare(revision: RuntimeRevision, signal: AbortSignal): Promise<Manifest> {
    const kind = this.#take(revision);
    if (this.#serving !== undefined && this.#serving.kind !== kind) throw otherKind(kind);
    return isServer(revision)
      ? this.#kinds.server.prepare(revision, signal)
      : this.#kinds.graphs.prepare(revision, signal);
  }

  restore(revision: RuntimeRevision, manifest: Manifest): void {
    this.#take(revision);
    if (isServer(revision)) this.#kinds.server.restore(revision);
    else this.#kinds.graphs.restore(revision, manifest);
  }

  async activate(revision_id: string, signal: AbortSignal): Promise<void> {
    const revision: KnownRevision = this.#known.get(revision_id) ?? { kind: 'graphs' };
    try {
      await this.#limitConnections(revision.connections);
      signal.throwIfAborted();
      await this.#kinds[revision.kind].activate(revision_id, signal);
    } catch (error) {
      await this.#limitAsServing();
      throw error;
    }
    this.#serving = revision;
  }

  /** Where the database is away, the next revision that takes over sets the limit. */
  async #limitAsServing(): Promise<void> {
    if (this.#serving !== undefined)
      await this.#limitConnections(this.#serving.connections).catch(() => undefined);
  }

  async retire(revision_id: string, drain_ms: number): Promise<void> {
    await Promise.all([
      this.#kinds.graphs.retire(revision_id, drain_ms),
      this.#kinds.server.retire(revision_id, drain_ms),
    ]);
  }

  routePolicy(headers: Headers): RoutePolicy {
    return this.#now.routePolicy(headers);
  }

  fetch(request: Request, inward: CallerContext): Promise<Response> {
    return this.#now.fetch(request, inward);
  }

  upgrade(
    request: IncomingMessage,
    connection: Parameters<RunningDeployment['upgrade']>[1],
  ): Promise<Response | undefined> {
    return this.#now.upgrade(request, connection);
  }

  hosts(): number {
    return this.#kinds.graphs.hosts() + this.#kinds.server.hosts();
  }

  kill(): void {
    for (const one of Object.values(this.#kinds)) one.kill();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(Object.values(this.#kinds).map((one) => one[Symbol.asyncDispose]()));
  }

  get #now(): Kinds[Kind] {
    return this.#kinds[this.#serving?.kind ?? 'graphs'];
  }

  #take(revision: RuntimeRevision): Kind {
    const kind = isServer(revision) ? 'server' : 'graphs';
    const connections = isServer(revision) ? undefined : revision.resources?.database_connections;
    this.#known.set(revision.revision_id, { kind, connections });
    return kind;
  }
}

const names: Readonly<Record<Kind, string>> = {
  graphs: 'graphs',
  server: 'a server of HTTP, and no graphs',
};

const otherKind = (kind: Kind) =>
  new Problem('invalid', `The image holds ${names[kind]}, and what serves this deployment does not.`, {
    code: 'other_kind',
    hint: 'Make a deployment of its own for it: what this one keeps of its callers would be lost to them.',
  });
