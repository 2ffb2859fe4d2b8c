import { ApiError, type Client } from '@roadstead/contracts';
import type {
  Artifact,
  AssignedSource,
  Assignment,
  ControlPlaneContract,
  WatchedHead,
  Observation,
  SourceCredentials,
  SourceForm,
} from '@roadstead/contracts/control-plane';

export interface FakeInstance {
  readonly instance: string;
  readonly address?: string;
}

/** A listener that runs nothing: it speaks the protocol, builds by copying, and reports what a test chooses. */
export class FakeListener {
  readonly client: Client<ControlPlaneContract>;
  readonly listener_id: string;
  /** Its name among those of its listener, and where it is; undefined for the only one. */
  readonly instance: FakeInstance | undefined;
  readonly #fetch: (request: Request) => Promise<Response>;
  #since = 0;
  #fence: number | undefined;
  /** The newest desired state of each deployment. */
  readonly desired = new Map<string, Assignment>();

  constructor(options: {
    readonly client: Client<ControlPlaneContract>;
    readonly listener_id: string;
    readonly instance?: FakeInstance | undefined;
    readonly fetch: (request: Request) => Promise<Response>;
  }) {
    this.instance = options.instance;
    this.client = options.client;
    this.listener_id = options.listener_id;
    this.#fetch = options.fetch;
  }

  get fence(): number {
    return this.#fence ?? 0;
  }

  /** How many other instances take deployments, as of the last poll. */
  others = 0;
  instance_state: 'serving' | 'draining' | 'left' = 'serving';

  /** One poll; the first one takes the lease over. */
  async poll(wait_s = 0, capabilities?: readonly SourceForm[]): Promise<readonly Assignment[]> {
    const answer = await this.client.readAssignments({
      params: { listener_id: this.listener_id },
      query: {
        since: this.#since,
        wait_s,
        instance_state: this.instance_state,
        ...this.instance,
        ...(this.#fence === undefined ? {} : { fence: this.#fence }),
        ...(capabilities === undefined ? {} : { capabilities: [...capabilities] }),
      },
    });
    this.#since = answer.generation;
    this.#fence = answer.fence;
    this.others = answer.others ?? 0;
    for (const assignment of answer.assignments) this.desired.set(assignment.deployment_id, assignment);
    return answer.assignments;
  }

  /** Polls until there is news of the deployment that the test waits for. */
  async next(
    deployment_id: string,
    matches: (news: Assignment) => boolean = () => true,
  ): Promise<Assignment> {
    for (let attempt = 0; attempt < 100; attempt += 1) {
      const found = (await this.poll(1)).find(
        (news) => news.deployment_id === deployment_id && matches(news),
      );
      if (found !== undefined) return found;
    }
    throw new Error('The listener was told nothing of the kind.');
  }

  async observe(assignment: Assignment, seen: Partial<Observation> = {}): Promise<number> {
    const { generation } = await this.client.observe({
      params: { listener_id: this.listener_id, deployment_id: assignment.deployment_id },
      body: {
        generation: assignment.generation,
        // The only instance of a listener holds all by one fence.
        fence: this.instance === undefined ? this.fence : assignment.fence,
        revision_id: assignment.revision?.id ?? assignment.active?.id ?? null,
        phase: 'switch',
        outcome: 'done',
        reason: null,
        artifact: null,
        manifest: null,
        url: null,
        database_ready: true,
        hosts: 0,
        ...seen,
      },
    });
    return generation;
  }

  /**
   * Builds where there is no artifact yet: from an archive a folder with the same bytes, from an image the image
   * itself.
   */
  async build(assignment: Assignment): Promise<Artifact> {
    const { revision } = assignment;
    if (revision === null) throw new Error('There is nothing to build.');
    const { artifact, source } = revision;
    if (artifact?.kind === 'folder') return { kind: 'folder', digest: artifact.digest };
    if (artifact !== null) return artifact;
    if (source?.kind === 'image')
      return { kind: 'image', image_uri: `${source.image_uri}@sha256:${'0'.repeat(64)}` };
    if (source?.kind === 'git') return this.#buildCommit(assignment, source);
    if (source?.kind !== 'archive') throw new Error('There is nothing to build it from.');
    for (const phase of ['source', 'install', 'build'] as const)
      await this.observe(assignment, { phase, outcome: 'running' });
    const archive = await this.#fetch(new Request(source.url));
    const bytes = Buffer.concat([Buffer.from('built:'), Buffer.from(await archive.arrayBuffer())]);
    const put = await this.#fetch(new Request(source.artifact_put_url, { method: 'PUT', body: bytes }));
    const { digest } = (await put.json()) as { digest: string };
    const built = { kind: 'folder', digest } as const;
    await this.observe(assignment, { phase: 'build', outcome: 'done', artifact: built });
    return built;
  }

  /** The commit that each ref is resolved to, by name; a commit resolves to itself. */
  readonly refs = new Map<string, string>();

  async #buildCommit(
    assignment: Assignment,
    { ref, commit_sha, artifact_put_url }: Extract<AssignedSource, { kind: 'git' }>,
  ): Promise<Artifact> {
    const found = commit_sha ?? this.refs.get(ref);
    if (found === undefined) throw new Error(`The remote has no ${ref}.`);
    await this.observe(assignment, { phase: 'source', outcome: 'running', commit_sha: found });
    const put = await this.#fetch(new Request(artifact_put_url, { method: 'PUT', body: `built:${found}` }));
    const { digest } = (await put.json()) as { digest: string };
    const built = { kind: 'folder', digest } as const;
    await this.observe(assignment, { phase: 'build', outcome: 'done', artifact: built });
    return built;
  }

  /** Says that it can take a deployment over, or has closed it. */
  async handOver({ deployment_id, fence }: Assignment, step: 'prepared' | 'released'): Promise<void> {
    await this.client.handOver({
      params: { listener_id: this.listener_id, deployment_id },
      body: {
        step,
        instance: this.instance?.instance ?? '',
        fence: step === 'prepared' ? this.fence : fence,
      },
    });
  }

  /** Reports where a watched ref is. */
  async head(
    { deployment_id }: Pick<Assignment, 'deployment_id'>,
    seen: Partial<WatchedHead>,
  ): Promise<void> {
    await this.client.reportHead({
      params: { listener_id: this.listener_id, deployment_id },
      body: { fence: this.fence, ref: 'main', commit_sha: null, problem: null, ...seen },
    });
  }

  async credentials(deployment_id: string, revision_id?: string): Promise<SourceCredentials | null> {
    const { credentials } = await this.client.readSourceCredentials({
      params: { listener_id: this.listener_id, deployment_id },
      query: { fence: this.fence, ...(revision_id === undefined ? {} : { revision_id }) },
    });
    return credentials;
  }

  /** Rolls out the desired revision, phase by phase; a build command `exit …` fails. */
  async reach(assignment: Assignment, manifest: Partial<Observation['manifest']> = {}): Promise<void> {
    if (assignment.removed) {
      await this.observe(assignment, { revision_id: null });
      return;
    }
    if (assignment.revision === null) {
      if (assignment.active !== null) await this.observe(assignment, { hosts: 0 });
      return;
    }
    const { artifact: built, config } = assignment.revision;
    if (built === null && config.build_command?.startsWith('exit ') === true) {
      const reason = { phase: 'build' as const, code: 'build_failed', message: 'The build failed.' };
      await this.observe(assignment, { phase: 'build', outcome: 'failed', reason });
      return;
    }
    const artifact = await this.build(assignment);
    for (const phase of ['start', 'health'] as const)
      await this.observe(assignment, { phase, outcome: 'running', artifact });
    await this.observe(assignment, {
      artifact,
      hosts: 1,
      manifest: {
        graphs: [{ graph_id: 'agent', description: null, channels: ['messages'], has_messages: true }],

        langgraph_version: '1.4.17',
        ...manifest,
      },
    });
  }

  /** Rolls out every desired revision until the signal, like a listener: it begins again when its fence is stale. */
  async follow(signal: AbortSignal): Promise<void> {
    const waiting = new Map<string, Assignment>();
    while (!signal.aborted) {
      try {
        for (const news of await this.poll(waiting.size === 0 ? 1 : 0, ['archive']))
          waiting.set(news.deployment_id, news);
        for (const [id, news] of waiting) {
          await this.reach(news);
          waiting.delete(id);
        }
      } catch (error) {
        if (error instanceof ApiError && error.status === 409) this.beginAnew();
        // A report that the control plane can't accept now is repeated.
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }

  /** The next poll takes the lease over. */
  beginAnew(): void {
    this.#since = 0;
    this.#fence = undefined;
  }

  async log(assignment: Assignment, message: string): Promise<void> {
    await this.client.appendLogs({
      params: { listener_id: this.listener_id, deployment_id: assignment.deployment_id },
      body: {
        fence: this.fence,
        revision_id: assignment.revision?.id ?? '',
        kind: 'build',
        writer: 'fake',
        seq: 0,
        lines: [{ at: new Date().toISOString(), level: 'INFO', message }],
      },
    });
  }

  async environment(deployment_id: string, revision_id: string): Promise<Record<string, string>> {
    const { variables } = await this.client.readEnvironment({
      params: { listener_id: this.listener_id, deployment_id },
      query: { revision_id, fence: this.fence },
    });
    return Object.fromEntries(variables.map(({ name, value }) => [name, value]));
  }
}
