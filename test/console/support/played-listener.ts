import { randomUUID } from 'node:crypto';
import { api, platform } from './console.ts';

/**
 * Plays a listener that runs images, so that a story says itself what becomes of each revision: phases, failures, logs. The
 * platform beside it is the real one.
 */

interface Assignment {
  readonly deployment_id: string;
  readonly slug: string;
  readonly generation: number;
  readonly revision: { readonly id: string; readonly number: number } | null;
  readonly removed: boolean;
}

interface DesiredState {
  readonly assignments: readonly Assignment[];
  readonly generation: number;
  readonly fence: number;
}

export interface Observation {
  readonly phase: 'source' | 'install' | 'build' | 'start' | 'health' | 'switch';
  readonly outcome: 'running' | 'done' | 'failed';
  readonly reason?: {
    readonly code: string;
    readonly message: string;
    readonly hint?: string;
    readonly log_tail?: readonly string[];
  };
}

export class PlayedListener implements AsyncDisposable {
  readonly #id: string;
  readonly #key: string;
  /** What makes deployments for it. */
  readonly #maker: string;
  readonly #writer = randomUUID().slice(0, 8);
  readonly #known = new Map<string, Assignment>();
  readonly #made: string[] = [];
  #generation = 0;
  #fence = 0;
  #seq = 0;

  private constructor({ id, key }: { readonly id: string; readonly key: string }, maker: string) {
    this.#id = id;
    this.#key = key;
    this.#maker = maker;
  }

  /** In the workspace of a key. */
  static async open(key = platform.key): Promise<PlayedListener> {
    const body = {
      compute_type: 'container',
      compute_id: `played-${randomUUID().slice(0, 8)}`,
      compute_config: {},
    };
    const listener = new PlayedListener(await api('/v2/listeners', { method: 'POST', body, key }), key);
    await listener.#read();
    return listener;
  }

  get id(): string {
    return this.#id;
  }

  /** Makes a deployment of an image, which this listener runs. */
  async deploy(
    name: string,
    secrets: readonly { readonly name: string; readonly value: string }[] = [],
  ): Promise<string> {
    const { id } = await api<{ id: string }>('/v2/deployments', {
      method: 'POST',
      body: {
        name,
        source: 'external_image',
        source_config: { listener_id: this.#id },
        source_revision_config: { image_uri: `registry.example.com/${name}:1` },
        secrets,
      },
      key: this.#maker,
    });
    this.#made.push(id);
    return id;
  }

  /** Reports what became of the newest revision of a deployment; waits until there is one that was not reported on yet. */
  async report(deployment_id: string, observed: Observation): Promise<string> {
    const { generation, revision, slug } = await this.#assignment(deployment_id);
    const { phase, outcome, reason } = observed;
    const isDone = phase === 'switch' && outcome === 'done';
    await this.#ask(`assignments/${deployment_id}/observed`, {
      method: 'PUT',
      body: {
        generation,
        fence: this.#fence,
        revision_id: revision?.id ?? null,
        phase,
        outcome,
        reason: reason === undefined ? null : { phase, ...reason },
        artifact: { kind: 'image', image_uri: `registry.example.com/${slug}@sha256:${'0'.repeat(64)}` },
        manifest: null,
        url: isDone ? `${platform.url}/agents/${slug}` : null,
        database_ready: true,
        hosts: 1,
      },
    });
    return revision?.id ?? '';
  }

  /** Lets a deployment go whose end is asked for. */
  async letGo(deployment_id: string): Promise<void> {
    await this.report(deployment_id, { phase: 'switch', outcome: 'done' });
  }

  /** Waits for the revision of this number to be desired. */
  async wantsRevision(deployment_id: string, number: number): Promise<void> {
    while ((await this.#assignment(deployment_id)).revision?.number !== number) await this.#read(1);
  }

  async write(
    {
      deployment_id,
      revision_id,
      kind,
    }: { readonly deployment_id: string; readonly revision_id: string; readonly kind: 'build' | 'server' },
    lines: readonly { readonly level: string; readonly message: string }[],
  ): Promise<void> {
    await this.#read();
    const at = new Date().toISOString();
    await this.#ask(`assignments/${deployment_id}/logs`, {
      method: 'POST',
      body: {
        fence: this.#fence,
        revision_id,
        kind,
        writer: this.#writer,
        seq: this.#seq++,
        lines: lines.map((line) => ({ at, ...line })),
      },
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const id of this.#made) {
      const gone = await api(`/v2/deployments/${id}?force=true`, { method: 'DELETE', key: this.#maker }).then(
        () => true,
        () => false,
      );
      if (gone) await this.letGo(id).catch(() => {});
    }
    await api(`/v2/listeners/${this.#id}`, { method: 'DELETE', key: this.#maker }).catch(() => {});
  }

  async #assignment(deployment_id: string): Promise<Assignment> {
    await this.#read();
    while (!this.#known.has(deployment_id)) await this.#read(1);
    return this.#known.get(deployment_id)!;
  }

  /** Reads what is desired anew, which holds the lease, too. */
  async #read(wait_s = 0): Promise<void> {
    const fence = this.#fence === 0 ? '' : `&fence=${this.#fence}`;
    const query = `since=${this.#generation}&wait_s=${wait_s}&capabilities=image&compute_type=container${fence}`;
    const desired = await this.#ask<DesiredState>(`assignments?${query}`);
    for (const one of desired.assignments) this.#known.set(one.deployment_id, one);
    this.#generation = Math.max(this.#generation, desired.generation);
    this.#fence = desired.fence;
  }

  async #ask<T>(
    path: string,
    { method = 'GET', body }: { readonly method?: string; readonly body?: unknown } = {},
  ): Promise<T> {
    const answer = await fetch(`${platform.url}/v2/listeners/${this.#id}/${path}`, {
      method,
      headers: { 'x-api-key': this.#key, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }
}
