import { createHash } from 'node:crypto';
import { ALL_WORKSPACES, type Audience } from '@roadstead/contracts';
import {
  type Assignment,
  controlPlane,
  type Observation,
  type SourceCredentials,
  type Watch,
  type WatchedHead,
} from '@roadstead/contracts/control-plane';
import { identity } from '@roadstead/contracts/identity';
import {
  createSigner,
  createSigningKey,
  createVerifier,
  type HttpServer,
  listen,
  serve,
  type RequestHandler,
  toNodeListener,
} from '@roadstead/http';
import { Problem, silentLog, uuidv7 } from '@roadstead/kit';
import {
  applyObservation,
  assignmentOf,
  type FakeDeployment,
  type FakeRepository,
  type FakeRevision,
} from './fake-deployment.ts';

/** The endpoints of the platform that a data plane calls. */
const contract = {
  readAssignments: controlPlane.readAssignments,
  observe: controlPlane.observe,
  handOver: controlPlane.handOver,
  readEnvironment: controlPlane.readEnvironment,
  readSourceCredentials: controlPlane.readSourceCredentials,
  reportHead: controlPlane.reportHead,
  appendLogs: controlPlane.appendLogs,
  readBlob: controlPlane.readBlob,
  putBlob: controlPlane.putBlob,
  readSigningKeys: identity.readSigningKeys,
  verifyCredential: identity.verifyCredential,
};

interface RevisionOptions {
  readonly build_command?: string | null;
  readonly config_path?: string;
}

interface LogChunk {
  readonly deployment_id: string;
  readonly revision_id: string;
  readonly kind: string;
  readonly lines: readonly { readonly message: string }[];
}

interface PollQuery {
  readonly since: number;
  readonly fence?: number | undefined;
  readonly wait_s: number;
  readonly capabilities?: readonly string[] | undefined;
  readonly instance?: string | undefined;
  readonly address?: string | undefined;
  readonly instance_state: string;
}

/** An image by its name. */
interface FakeImageSource {
  readonly image: string;
  /** Whether it is of the platform's own registry. */
  readonly is_ours?: boolean;
}

const LISTENER_KEY = 'rs_listener';
const CALLER_KEY = 'rs_caller';
const WORKSPACE = '11111111-1111-4111-8111-111111111111';

/** The control plane as a listener sees it, and the little of identity that a data plane asks for, over real HTTP. */
export class FakeControlPlane implements AsyncDisposable {
  readonly listener_id = uuidv7();
  readonly listener_key = LISTENER_KEY;
  readonly caller_key = CALLER_KEY;
  readonly blobs = new Map<string, Buffer>();
  readonly observations: (Observation & { readonly deployment_id: string })[] = [];
  readonly logs: LogChunk[] = [];
  /** How often a listener began again. */
  restarts = 0;
  /** The generation that the listener asked for last. */
  heard = 0;
  /** The capabilities that the listener reported. */
  capabilities: readonly string[] = [];
  /** How many calls of the signed address of an artifact were answered, by status. */
  readonly puts: number[] = [];
  /** The answers to the next uploads; later ones are accepted. */
  readonly put_faults: number[] = [];
  /** Called before an observation is taken. */
  onObservation: (seen: Observation) => Promise<void> | void = () => undefined;
  environment: Readonly<Record<string, string>> = {};
  /** The credentials for every repository. */
  source_credentials: SourceCredentials | null = null;
  /** How often they were asked for. */
  credentials_read = 0;
  /** The reports about watched refs. */
  readonly heads: Omit<WatchedHead, 'fence'>[] = [];
  /** The steps of handovers that were reported. */
  readonly steps: { readonly deployment_id: string; readonly step: string; readonly instance: string }[] = [];
  /** What the instance said of itself last. */
  instance: { readonly name?: string | undefined; readonly address?: string | undefined; state?: string } =
    {};
  /** How many other instances there are. */
  others = 0;
  /** Revisions whose environment can't be opened: a request for it gets a 500. */
  readonly sealed = new Set<string>();
  readonly #deployments = new Map<string, FakeDeployment>();
  readonly #signer = createSigner(createSigningKey());
  #news = Promise.withResolvers<void>();
  #server: HttpServer | undefined;
  #port = 0;
  #fence = 0;
  #generation = 0;

  static async start(): Promise<FakeControlPlane> {
    const fake = new FakeControlPlane();
    await fake.comeBack();
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Stops listening: whoever waits for an answer gets none. */
  async goAway(): Promise<void> {
    this.#ring();
    await this.#server?.[Symbol.asyncDispose]();
    this.#server = undefined;
  }

  async comeBack(): Promise<void> {
    const served = this.#serve();
    const principal = { workspace_id: ALL_WORKSPACES, actor: 'key:listener', scopes: ['listener' as const] };
    const assertion = () => this.#signer.sign(principal, 'control-plane');
    const listener = toNodeListener((request) =>
      served.fetch(
        request,
        request.headers.get('x-api-key') === LISTENER_KEY ? { assertion: assertion() } : {},
      ),
    );
    this.#server = await listen(listener, { host: '127.0.0.1', port: this.#port }, { drain_ms: 1 });
    this.#port = this.#server.port;
  }

  /** An assertion for agent servers, as identity signs it. */
  signedAs(actor: string): string {
    return this.#signer.sign({ workspace_id: WORKSPACE, actor, scopes: [] }, 'agent-server');
  }

  /** Acts like another process of the listener: every earlier fence is stale from now on. */
  takeLease(): void {
    this.#fence += 1;
    this.#ring();
  }

  /** A revision with this source, an archive, a repository or an image; from another revision, one with its artifact. */
  revisionOf(
    source: Buffer | FakeRevision | FakeRepository | FakeImageSource,
    { build_command = null, config_path = 'langgraph.json' }: RevisionOptions = {},
  ): FakeRevision {
    const config = { langgraph_config_path: config_path, install_command: 'true', build_command };
    const made = { id: uuidv7(), artifact_digest: null, config, repository: undefined, commit_sha: null };
    if (Buffer.isBuffer(source)) return { ...made, source_digest: this.#keep(source) };
    if ('image' in source)
      return { ...made, source_digest: '', image_uri: source.image, is_ours: source.is_ours };
    if ('repo_url' in source) return { ...made, source_digest: '', repository: source };
    return { ...source, id: made.id, config };
  }

  /** Draws a generation for a change to a deployment's desired state. */
  desire(
    slug: string,
    want: {
      revision?: FakeRevision;
      removed?: boolean;
      purge?: boolean;
      watch?: Watch;
      custom_url?: string;
      /** The workspace of a new deployment. */
      workspace_id?: string;
    },
  ): string {
    const known = [...this.#deployments.values()].find((one) => one.slug === slug);
    const deployment = known ?? {
      id: uuidv7(),
      slug,
      workspace_id: want.workspace_id ?? WORKSPACE,
      custom_url: null,
      generation: 0,
      revision: undefined,
      active: undefined,
      watch: null,
      removed: false,
      purge: false,
      removed_told: 0,
    };
    this.#generation += 1;
    this.#deployments.set(deployment.id, {
      ...deployment,
      revision: want.revision,
      custom_url: want.custom_url ?? null,
      watch: want.watch ?? null,
      removed: want.removed === true,
      purge: want.purge === true,
      generation: this.#generation,
    });
    this.#ring();
    return deployment.id;
  }

  /** What the instance does with a deployment from now on; `away`, it learns nothing of it any more. */
  hold(deployment_id: string, hold: NonNullable<FakeDeployment['hold']>): void {
    const deployment = this.#deployments.get(deployment_id);
    if (deployment === undefined) throw new Error('There is no such deployment.');
    this.#generation += 1;
    this.#deployments.set(deployment_id, { ...deployment, hold, generation: this.#generation });
    this.#ring();
  }

  /** The generation that was drawn last. */
  get generation(): number {
    return this.#generation;
  }

  activeOf(deployment_id: string): string | undefined {
    return this.#deployments.get(deployment_id)?.active?.id;
  }

  /** The statuses reported of a revision, in order, each once. */
  storyOf(revision_id: string): string[] {
    const words = this.observations
      .filter((seen) => seen.revision_id === revision_id)
      .map(({ phase, outcome }) => (outcome === 'running' ? phase : `${phase} ${outcome}`));
    return words.filter((word, at) => word !== words[at - 1]);
  }

  linesOf(revision_id: string, kind = 'build'): string[] {
    return this.logs
      .filter((chunk) => chunk.revision_id === revision_id && chunk.kind === kind)
      .flatMap((chunk) => chunk.lines.map((line) => line.message));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.goAway();
  }

  #serve(): RequestHandler {
    const verify = createVerifier(this.#signer.public_keys, { audience: 'control-plane' });
    return serve(
      contract,
      {
        readAssignments: ({ query }) => this.#poll(query),
        observe: ({ params, body }) => this.#observe(params.deployment_id, body),
        handOver: async ({ params, body: { fence, ...step } }) => {
          this.#check(fence);
          this.steps.push({ deployment_id: params.deployment_id, ...step });
        },
        readEnvironment: async ({ params, query }) => this.#readEnvironment(params.deployment_id, query),
        readSourceCredentials: async ({ query }) => {
          this.#check(query.fence);
          this.credentials_read += 1;
          return { credentials: this.source_credentials };
        },
        reportHead: async ({ body: { fence, ...head } }) => {
          this.#check(fence);
          this.heads.push(head);
        },
        appendLogs: async ({ params, body: { fence, ...body } }) => {
          this.#check(fence);
          if (!this.#deployments.has(params.deployment_id))
            throw new Problem('not_found', 'There is no such deployment.');
          this.logs.push({ ...params, ...body });
        },
        readBlob: async ({ params }) => this.#readBlob(params.token),
        putBlob: ({ request }) => this.#putBlob(request),
        readSigningKeys: async () => ({ keys: [...this.#signer.public_keys] }),
        verifyCredential: async ({ body }) => this.#verifyCredential(body),
      },
      { service: 'control-plane', verify, log: silentLog, check_answers: true },
    );
  }

  async #poll(query: PollQuery) {
    if (query.fence === undefined && query.since === 0) {
      this.restarts += 1;
      this.#fence += 1;
    } else {
      this.#check(query.since > this.#generation ? undefined : query.fence);
    }
    this.capabilities = query.capabilities ?? this.capabilities;
    this.heard = query.since;
    const { instance: name, address, instance_state: state } = query;
    this.instance = { name, address, state };
    const until = Date.now() + query.wait_s * 1000;
    while (this.#listed(query.since).length === 0 && Date.now() < until && this.#server !== undefined) {
      const timer = setTimeout(() => this.#ring(), until - Date.now());
      await this.#news.promise;
      clearTimeout(timer);
      this.#check(query.fence ?? this.#fence);
    }
    return {
      assignments: this.#listed(query.since),
      generation: this.#generation,
      fence: this.#fence,
      lease_expires_at: new Date(Date.now() + 45_000).toISOString(),
      others: this.others,
    };
  }

  async #observe(deployment_id: string, seen: Observation) {
    await this.onObservation(seen);
    this.#check(seen.fence);
    const deployment = this.#deployments.get(deployment_id);
    if (deployment === undefined) throw new Problem('not_found', 'There is no such deployment.');
    if (seen.generation > deployment.generation)
      throw new Problem(
        'invalid',
        'The observation is of a generation that was never given to this listener.',
      );
    if (seen.generation === deployment.generation) applyObservation(deployment, seen, this);
    this.observations.push({ ...seen, deployment_id });
    return { generation: deployment.generation };
  }

  #readEnvironment(
    deployment_id: string,
    { revision_id, fence }: { readonly revision_id: string; readonly fence: number },
  ) {
    if (this.sealed.has(revision_id)) throw new Error('The key of this environment is gone.');
    this.#check(fence);
    const { revision, active } = this.#deployments.get(deployment_id) ?? {};
    if (![revision?.id, active?.id].includes(revision_id))
      throw new Problem('not_found', 'The listener does not have to run this revision.');
    const variables = Object.entries(this.environment).map(([name, value]) => ({ name, value }));
    return { version: 1, variables };
  }

  #verifyCredential({ credential, audience }: { credential: string; audience: Audience }) {
    if (credential !== CALLER_KEY) throw new Problem('unauthenticated', 'This key is not known.');
    const principal = { workspace_id: WORKSPACE, actor: 'key:test', scopes: ['admin' as const] };
    const assertion = this.#signer.sign(principal, audience);
    return { assertion, expires_at: new Date(Date.now() + 60_000).toISOString() };
  }

  #readBlob(token: string): Response {
    const bytes = this.blobs.get(token);
    if (bytes === undefined) throw new Problem('not_found', 'The blob is no longer there.');
    return new Response(new Uint8Array(bytes));
  }

  async #putBlob(request: Request) {
    const bytes = Buffer.from(await request.arrayBuffer());
    const status = this.put_faults.shift() ?? 200;
    this.puts.push(status);
    if (status !== 200) return new Response(null, { status });
    return { digest: this.#keep(bytes), size: bytes.length };
  }

  #listed(since: number): Assignment[] {
    return [...this.#deployments.values()]
      .filter(
        (one) =>
          one.hold !== 'away' &&
          one.generation > since &&
          !(one.removed && one.removed_told === one.generation),
      )
      .map((one) => assignmentOf(one, { fence: this.#fence, url: this.url }));
  }

  #check(fence: number | undefined): void {
    if (fence !== this.#fence) throw new Problem('conflict', 'The fence is stale.');
  }

  #keep(bytes: Buffer): string {
    const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    this.blobs.set(digest, bytes);
    return digest;
  }

  #ring(): void {
    const { resolve } = this.#news;
    this.#news = Promise.withResolvers<void>();
    resolve();
  }
}
