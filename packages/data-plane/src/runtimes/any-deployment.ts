import type { IncomingMessage } from 'node:http';
import type { AgentServer } from '@roadstead/agent-server';
import type { Manifest } from '@roadstead/contracts/host';
import type { CallerContext } from '@roadstead/http';
import { Problem } from '@roadstead/kit';
import type { DatabaseResources } from '../databases/databases.ts';
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
  readonly database?: DatabaseResources | undefined;
}

interface AnyDeploymentOptions extends Kinds {
  /** Gives the deployment's database as much as a revision says. */
  readonly giveDatabase: (resources: DatabaseResources) => Promise<void>;
}

/**
 * A deployment of either kind; the first revision that serves decides which. A revision of the other kind is refused: what the
 * deployment keeps, its callers could not reach any more.
 */
export class AnyDeployment implements RunningDeployment {
  readonly #kinds: Kinds;
  readonly #giveDatabase: AnyDeploymentOptions['giveDatabase'];
  readonly #known = new Map<string, KnownRevision>();
  #serving: KnownRevision | undefined;

  constructor({ giveDatabase, ...kinds }: AnyDeploymentOptions) {
    this.#kinds = kinds;
    this.#giveDatabase = giveDatabase;
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
      await this.#give(revision);
      signal.throwIfAborted();
      await this.#kinds[revision.kind].activate(revision_id, signal);
    } catch (error) {
      await this.#giveAsServing();
      throw error;
    }
    this.#serving = revision;
  }

  /** Where the database is away, the next revision that takes over gives it what it gets. */
  async #giveAsServing(): Promise<void> {
    if (this.#serving !== undefined) await this.#give(this.#serving).catch(() => undefined);
  }

  /** A server keeps nothing there. */
  async #give({ kind, database = {} }: KnownRevision): Promise<void> {
    if (kind === 'graphs') await this.#giveDatabase(database);
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

  async close(drain_ms: number): Promise<void> {
    await Promise.all(Object.values(this.#kinds).map((one) => one.close(drain_ms)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(Object.values(this.#kinds).map((one) => one[Symbol.asyncDispose]()));
  }

  get #now(): Kinds[Kind] {
    return this.#kinds[this.#serving?.kind ?? 'graphs'];
  }

  #take(revision: RuntimeRevision): Kind {
    const kind = isServer(revision) ? 'server' : 'graphs';
    this.#known.set(revision.revision_id, { kind, database: revision.database });
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
