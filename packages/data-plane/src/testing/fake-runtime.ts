import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { WebSocketServer } from 'ws';
import type { Manifest } from '@roadstead/contracts/host';
import type { CallerContext } from '@roadstead/http';
import { Problem } from '@roadstead/kit';
import {
  isServer,
  type RoutePolicy,
  type RunningDeployment,
  type Runtime,
  type RuntimeDeployment,
  type RuntimeRevision,
} from '../ports/runtime.ts';

interface KnownRevision {
  readonly manifest: Manifest;
  /** Whether a graph host of it runs. */
  isUp: boolean;
}

/** A runtime without processes: it learns an agent's behaviour from its text (testing/projects.ts). */
export class FakeRuntime implements Runtime {
  readonly opened = new Map<string, FakeDeployment>();
  readonly forgotten: string[] = [];
  /** While set, `activate` fails with it. */
  activation_error: Error | undefined;
  /** Called before a deployment is opened. */
  onOpening: (deployment_id: string) => Promise<void> | void = () => undefined;
  /** Called when a revision is about to take over: the earlier one keeps serving until the call resolves. */
  onActivating: (revision_id: string) => Promise<void> | void = () => undefined;
  /** Called before a deployment is closed. */
  onClosing: (deployment_id: string) => Promise<void> | void = () => undefined;
  /** Called before a deployment is forgotten. */
  onForgetting: (deployment_id: string) => Promise<void> | void = () => undefined;
  /** Called before the processes of a deployment are killed. */
  onKilling: (deployment_id: string) => Promise<void> | void = () => undefined;
  /** How many deployments were closed. */
  closed = 0;
  /** Called when a revision has been prepared, before the caller learns of it. */
  onPrepared: (revision_id: string) => Promise<void> | void = () => undefined;

  async open(deployment: RuntimeDeployment): Promise<RunningDeployment> {
    deployment.signal.throwIfAborted();
    await this.onOpening(deployment.deployment_id);
    const opened = new FakeDeployment(this, deployment);
    this.opened.set(deployment.deployment_id, opened);
    return opened;
  }

  /** Nothing of it outlives a process. */
  async removeOrphans(): Promise<void> {
    await Promise.resolve();
  }

  async forget(deployment_id: string): Promise<void> {
    await this.onForgetting(deployment_id);
    this.forgotten.push(deployment_id);
  }
}

class FakeDeployment implements RunningDeployment {
  readonly #runtime: FakeRuntime;
  readonly #deployment: RuntimeDeployment;
  readonly #revisions = new Map<string, KnownRevision>();
  #active: string | undefined;

  constructor(runtime: FakeRuntime, deployment: RuntimeDeployment) {
    this.#runtime = runtime;
    this.#deployment = deployment;
  }

  /** Reports trouble like its agent server would. */
  get onTrouble(): RuntimeDeployment['onTrouble'] {
    return this.#deployment.onTrouble;
  }

  /** Tells what keeps a host of a revision from its start, like its agent server would. */
  get startOf(): RuntimeDeployment['startOf'] {
    return this.#deployment.startOf;
  }

  /** Revisions with a running host. */
  get up(): string[] {
    return [...this.#revisions].flatMap(([id, known]) => (known.isUp ? [id] : []));
  }

  async prepare(revision: RuntimeRevision, signal: AbortSignal): Promise<Manifest> {
    signal.throwIfAborted();
    const known = { manifest: manifestOf(revision), isUp: true };
    this.#set(revision.revision_id, known);
    try {
      const agent = isServer(revision) ? '' : await readFile(join(revision.folder, 'agent.js'), 'utf8');
      if (agent.includes('throw')) throw new Problem('invalid', 'this agent never loads');
      if (agent.includes('await')) await untilAborted(signal);
      await this.#runtime.onPrepared(revision.revision_id);
    } catch (error) {
      this.#set(revision.revision_id, undefined);
      throw error;
    }
    return known.manifest;
  }

  restore({ revision_id }: RuntimeRevision, manifest: Manifest): void {
    this.#set(revision_id, { manifest, isUp: false });
  }

  async activate(revision_id: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!this.#revisions.has(revision_id))
      throw new Problem('conflict', 'This revision has not been prepared.');
    await this.#runtime.onActivating(revision_id);
    if (this.#runtime.activation_error !== undefined) throw this.#runtime.activation_error;
    signal.throwIfAborted();
    const before = this.#active;
    this.#active = revision_id;
    if (before !== undefined && before !== revision_id) this.#set(before, undefined);
  }

  async retire(revision_id: string): Promise<void> {
    this.#set(revision_id, undefined);
  }

  routePolicy(): RoutePolicy {
    return { verifies: true, cors: null };
  }

  async fetch(_request: Request, { path }: CallerContext): Promise<Response> {
    if (path === '/where') return Response.json({ url: this.#deployment.public_url() });
    return Response.json({ revision_id: this.#active ?? null });
  }

  /** Echoes each message, with the path it came to. */
  async upgrade(
    request: IncomingMessage,
    { socket, head, inward }: Parameters<RunningDeployment['upgrade']>[1],
  ): Promise<undefined> {
    const { path, assertion } = await inward();
    if (assertion === undefined) throw new Problem('unauthenticated', 'Who calls?');
    new WebSocketServer({ noServer: true }).handleUpgrade(request, socket, head, (spoken) => {
      spoken.on('message', (said: Buffer) => spoken.send(`${path} ${said.toString()}`));
    });
  }

  hosts(): number {
    return this.up.length;
  }

  kill(): void {
    void Promise.resolve(this.#runtime.onKilling(this.#deployment.deployment_id)).then(() => this.#endAll());
  }

  close(): Promise<void> {
    return this[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#runtime.onClosing(this.#deployment.deployment_id);
    this.#endAll();
    this.#runtime.closed += 1;
    const { opened } = this.#runtime;
    if (opened.get(this.#deployment.deployment_id) === this) opened.delete(this.#deployment.deployment_id);
  }

  #endAll(): void {
    for (const id of this.#revisions.keys()) this.#set(id, undefined);
  }

  #set(revision_id: string, known: KnownRevision | undefined): void {
    const before = this.hosts();
    if (known === undefined) this.#revisions.delete(revision_id);
    else this.#revisions.set(revision_id, known);
    if (this.hosts() !== before) this.#deployment.onHosts(this.hosts());
  }
}

function manifestOf(revision: RuntimeRevision): Manifest {
  return {
    graphs: Object.keys(isServer(revision) ? {} : revision.project.graphs).map((graph_id) => ({
      graph_id,
      description: null,
      channels: ['messages'],
      has_messages: true,
    })),

    langgraph_version: '1.0.0',
  };
}

async function untilAborted(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort');
  throw new Problem('unavailable', 'The start was given up.');
}
