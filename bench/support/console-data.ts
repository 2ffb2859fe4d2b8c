import { randomUUID } from 'node:crypto';
import type { RunningPlatform } from '../../test/support/platform.ts';
import { measure, post } from './measure.ts';

/** What a console has to show where there is much of it, made by the API. */

const AT_ONCE = 8;
const RUNS_A_REQUEST = 500;

interface SentRun {
  readonly id: string;
  readonly trace_id: string;
  readonly dotted_order: string;
  readonly [member: string]: unknown;
}

export class ConsoleData {
  readonly #platform: RunningPlatform;

  constructor(platform: RunningPlatform) {
    this.#platform = platform;
  }

  async makeProject(name: string): Promise<string> {
    return (await this.#ask<{ id: string }>('/sessions', { name })).id;
  }

  /** A trace in which each run has eight below it; answers its root. */
  async makeTrace(project: string, runs: number): Promise<string> {
    const began = Date.now() - 60_000;
    const made: SentRun[] = [];
    for (let at = 0; at < runs; at += 1) {
      const above = at === 0 ? undefined : made[(at - 1) >> 3];
      made.push(
        sentRun(project, {
          above,
          begins_ms: began + at,
          took_ms: 50_000 / (at + 1),
          name: at === 0 ? 'crowd' : `step ${at}`,
          run_type: ['chain', 'llm', 'tool'][at % 3],
          inputs: { question: `What is step ${at}?` },
          outputs: { answer: 'It follows the one before.' },
          ...(at % 50 === 7 && { error: `ValueError: step ${at} has no answer` }),
        }),
      );
    }
    await this.#send(made);
    return made[0]?.id ?? '';
  }

  /** Conversations of one turn each. */
  async makeConversations(project: string, count: number): Promise<void> {
    const began = Date.now() - count * 100;
    await this.#send(
      Array.from({ length: count }, (_, at) =>
        sentRun(project, {
          begins_ms: began + at * 50,
          took_ms: 40,
          name: 'turn',
          inputs: { messages: [{ role: 'user', content: `Question ${at}` }] },
          outputs: { messages: [{ role: 'assistant', content: `Answer ${at}` }] },
          extra: { metadata: { thread_id: `conversation-${at}` } },
        }),
      ),
    );
  }

  /** A run whose inputs are of this size as JSON. */
  async makeLargeRun(project: string, bytes: number): Promise<string> {
    const rows = Array.from({ length: Math.round(bytes / 1000) }, (_, row) => ({
      row,
      text: 'x'.repeat(975),
    }));
    const run = sentRun(project, {
      begins_ms: Date.now() - 1000,
      took_ms: 500,
      name: 'large',
      inputs: { rows },
    });
    await this.#send([run]);
    return run.id;
  }

  /**
   * Deployments of images, at a listener that starts nothing; answers that listener. They are there at once, and the platform
   * still makes the project and the key of each: that is waited for.
   */
  async makeDeployments(count: number, stem = 'agent'): Promise<SilentListener> {
    const told = await this.#ask<{ id: string; key: string }>('/v2/listeners', {
      compute_type: 'container',
      compute_id: `bench-${randomUUID().slice(0, 8)}`,
      compute_config: {},
    });
    // Only what a listener says it can run is put to it.
    await readDesired(this.#calls(told));
    const deployments: string[] = [];
    await measure({ count, concurrency: AT_ONCE, warm: 0 }, async () => {
      const at = deployments.push('') - 1;
      const name = `${stem}-${at}`;
      const { id } = await this.#ask<{ id: string }>('/v2/deployments', {
        name,
        source: 'external_image',
        source_config: { listener_id: told.id },
        source_revision_config: { image_uri: `registry.example.com/${name}:1` },
        secrets: [],
      });
      deployments[at] = id;
    });
    const listener = { ...told, deployments };
    await this.#untilAssigned(listener);
    return listener;
  }

  /** Lines of the server of a deployment, as its listener sends them. */
  async makeLog(listener: SilentListener, deployment: string, lines: number): Promise<void> {
    const A_CHUNK = 5000;
    const { fence, assignments } = await this.#untilAssigned(listener);
    const revision_id = assignments.find(({ deployment_id }) => deployment_id === deployment)?.revision?.id;
    const { base, headers } = this.#calls(listener);
    for (let from = 0; from < lines; from += A_CHUNK) {
      const at = new Date().toISOString();
      const some = Array.from({ length: A_CHUNK }, (_, index) => ({
        at,
        level: index % 97 === 0 ? 'WARNING' : 'INFO',
        message: `\u001B[32mline ${from + index}\u001B[0m of a server that has much to say`,
      }));
      const chunk = { fence, revision_id, kind: 'server', writer: 'bench', seq: from / A_CHUNK, lines: some };
      const answer = await post(`${base}/assignments/${deployment}/logs`, headers, JSON.stringify(chunk));
      if (answer.status >= 300) throw new Error(answer.text);
    }
  }

  /** Waits until the listener is asked to run all of its deployments: then nothing is left to do for them. */
  async #untilAssigned(listener: SilentListener): Promise<DesiredState> {
    const calls = this.#calls(listener);
    const missing = new Set(listener.deployments);
    const assignments: DesiredState['assignments'][number][] = [];
    let desired: DesiredState | undefined;
    do {
      desired = await readDesired({ ...calls, after: desired });
      assignments.push(...desired.assignments);
      for (const { deployment_id, revision } of desired.assignments)
        if (revision !== null) missing.delete(deployment_id);
    } while (missing.size > 0);
    return { ...desired, assignments };
  }

  #calls({ id, key }: Pick<SilentListener, 'id' | 'key'>): ListenerCalls {
    return {
      base: `${this.#platform.url}/v2/listeners/${id}`,
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
    };
  }

  async #send(runs: readonly SentRun[]): Promise<void> {
    for (let from = 0; from < runs.length; from += RUNS_A_REQUEST)
      await this.#ask('/runs/batch', { post: runs.slice(from, from + RUNS_A_REQUEST), patch: [] });
  }

  async #ask<T>(path: string, body: object): Promise<T> {
    const { url, key } = this.#platform;
    const answer = await post(url + path, { 'x-api-key': key }, JSON.stringify(body));
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text.slice(0, 500)}`);
    return JSON.parse(answer.text) as T;
  }
}

/** A listener that nothing runs at, and the deployments that wait for it. */
export interface SilentListener {
  readonly id: string;
  readonly key: string;
  readonly deployments: readonly string[];
}

interface DesiredState {
  readonly fence: number;
  readonly generation: number;
  readonly assignments: readonly {
    readonly deployment_id: string;
    readonly revision: { readonly id: string } | null;
  }[];
}

interface ListenerCalls {
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Reads what a listener has to run since its last poll. Without an earlier poll it begins anew, as after a restart. */
async function readDesired({
  base,
  headers,
  after,
}: ListenerCalls & { readonly after?: DesiredState | undefined }): Promise<DesiredState> {
  const query = new URLSearchParams({
    since: String(after?.generation ?? 0),
    capabilities: 'image',
    compute_type: 'container',
    wait_s: '1',
    ...(after !== undefined && { fence: String(after.fence) }),
  });
  const answer = await fetch(`${base}/assignments?${query.toString()}`, { headers });
  const desired: unknown = await answer.json();
  if (!answer.ok) throw new Error(JSON.stringify(desired));
  return desired as DesiredState;
}

interface RunSketch {
  readonly above?: SentRun | undefined;
  readonly begins_ms: number;
  readonly took_ms: number;
  readonly [member: string]: unknown;
}

/** A run as SDKs send it. */
function sentRun(session_id: string, { above, begins_ms, took_ms, ...members }: RunSketch): SentRun {
  const id = randomUUID();
  const start_time = new Date(begins_ms).toISOString();
  const own = `${start_time.replaceAll(/[-:.]/g, '').replace('Z', '000Z')}${id}`;
  return {
    run_type: 'chain',
    ...members,
    id,
    trace_id: above?.trace_id ?? id,
    parent_run_id: above?.id,
    dotted_order: above === undefined ? own : `${above.dotted_order}.${own}`,
    start_time,
    end_time: new Date(begins_ms + took_ms).toISOString(),
    session_id,
  };
}
