import type { RunningPlatform } from '../support/platform.ts';

/** Calls of an agent by somebody who calls again wherever nobody answers, and takes up streams wherever they break. */

export type Fields = Readonly<Record<string, unknown>>;

export const ENDED = ['success', 'error', 'interrupted', 'timeout'];
export const isEnd = (state: unknown): boolean =>
  /_(COMPLETED|CANCELED|FAILED|REJECTED)$/.test(String(state));
const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

export interface Task {
  readonly id: string;
  readonly status: { readonly state: string };
  readonly artifacts?: readonly Artifact[];
}
interface Artifact {
  readonly artifactId: string;
  readonly parts: readonly { readonly text?: string }[];
}
interface Answer {
  readonly result?: Fields & { readonly task?: Task };
  readonly error?: { readonly code: number; readonly message: string };
}
export interface Run {
  readonly run_id: string;
  readonly thread_id: string;
  readonly status: string;
}

const rpc = (method: string, params: object) => ({ jsonrpc: '2.0', id: '1', method, params });

type CalledPlatform = Pick<RunningPlatform, 'url' | 'fetch'>;

/** Calls of one agent; the platform is another one after each of its ends. */
export class InsistingCaller {
  readonly #platform: () => CalledPlatform;
  readonly agent: string;

  constructor(platform: () => CalledPlatform, agent: string) {
    this.#platform = platform;
    this.agent = agent;
  }

  /** Undefined where nobody answers, or only that nobody can. */
  async ask(path: string, init: RequestInit = {}): Promise<Response | undefined> {
    const headers = { 'content-type': 'application/json', ...(init.headers as Record<string, string>) };
    const platform = this.#platform();
    const url = `${platform.url}/agents/${this.agent}${path}`;
    const answer = await platform.fetch(url, { ...init, headers }).catch(() => undefined);
    return answer === undefined || answer.status >= 500 || answer.status === 429 ? undefined : answer;
  }

  /** Asks until it is answered: a caller that was not answered may ask again. */
  async insist<T>(
    path: string,
    { body, method = 'POST' }: { body?: object; method?: string } = {},
  ): Promise<T> {
    const init = body === undefined ? {} : { method, body: JSON.stringify(body) };
    for (;;) {
      const answer = await this.ask(path, init);
      const text = await answer?.text().catch(() => undefined);
      if (answer !== undefined && text !== undefined) {
        if (answer.ok) return JSON.parse(text === '' ? 'null' : text) as T;
        throw new Error(`${path}: ${answer.status} ${text}`);
      }
      await pause(100);
    }
  }

  /** An agent that cannot tell now answers with error -32603, and is asked again. */
  async a2a(method: string, params: object): Promise<Answer> {
    for (;;) {
      const answer = await this.insist<Answer>('/a2a/agent', { body: rpc(method, params) });
      if (answer.error?.code !== -32_603) return answer;
      await pause(100);
    }
  }

  /** The ids of a run's events, read to its end. */
  async readRun({ thread_id, run_id }: Run): Promise<readonly number[]> {
    const ids: number[] = [];
    for (;;) {
      const before = await this.insist<Run>(`/threads/${thread_id}/runs/${run_id}`);
      const answer = await this.ask(`/threads/${thread_id}/runs/${run_id}/stream`, {
        headers: { 'last-event-id': String(ids.at(-1) ?? -1) },
      });
      if (answer?.ok === true)
        for await (const { id } of framesOf(answer)) if (id !== '') ids.push(Number(id));
      if (answer?.ok === true && ENDED.includes(before.status)) return ids;
      await pause(50);
    }
  }
}

export const textOf = ({ parts }: Artifact): string => parts.map(({ text = '' }) => text).join('');

export interface Frame {
  readonly id: string;
  readonly data: string;
}

/** The whole frames of a stream, until it breaks or ends. */
export async function* framesOf(answer: Response): AsyncGenerator<Frame> {
  let rest = '';
  const decoder = new TextDecoder();
  try {
    for await (const bytes of answer.body ?? []) {
      const frames = (rest + decoder.decode(bytes as Uint8Array, { stream: true })).split(/\r?\n\r?\n/);
      rest = frames.pop() ?? '';
      for (const frame of frames) {
        const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(frame)?.[1];
        const data = field('data');
        if (data !== undefined) yield { id: field('id') ?? '', data };
      }
    }
  } catch {
    // It broke.
  }
}

/** Reads a task, and takes its stream up again wherever it breaks. */
export class TaskReader {
  readonly #caller: InsistingCaller;
  readonly #texts = new Map<string, string>();
  readonly ids: number[] = [];
  id: string | undefined;
  is_over = false;
  /** The id of the last frame, also of one that shows the task as it stands. */
  #last = '';

  constructor(caller: InsistingCaller) {
    this.#caller = caller;
  }

  textOf({ artifactId }: Artifact): string | undefined {
    return this.#texts.get(artifactId);
  }

  /** Sends the message until its task is known, then subscribes to that until it has ended. */
  async toEnd(send: object): Promise<void> {
    while (!this.is_over) {
      const headers = { accept: 'text/event-stream', 'last-event-id': this.#last };
      const asked =
        this.id === undefined ? rpc('SendStreamingMessage', send) : rpc('SubscribeToTask', { id: this.id });
      const answer = await this.#caller.ask('/a2a/agent', {
        method: 'POST',
        body: JSON.stringify(asked),
        headers,
      });
      if (answer?.headers.get('content-type')?.startsWith('text/event-stream') === true)
        await this.#take(framesOf(answer));
      // It has ended, and there is nothing that was not read.
      else if (answer !== undefined)
        this.is_over = ((await answer.json().catch(() => ({}))) as Answer).error?.code === -32_004;
      if (!this.is_over) await pause(50);
    }
  }

  async #take(frames: AsyncIterable<Frame>): Promise<void> {
    for await (const { id, data } of frames) {
      const { result } = JSON.parse(data) as { result?: StreamResult };
      if (result === undefined) return;
      this.#last = id;
      const { task, artifactUpdate, statusUpdate } = result;
      // The first frame is the task as it stands for who has read so far.
      if (task !== undefined) {
        this.id = task.id;
        this.#texts.clear();
        for (const artifact of task.artifacts ?? []) this.#texts.set(artifact.artifactId, textOf(artifact));
      } else this.ids.push(Number(id));
      if (artifactUpdate !== undefined) {
        const { artifact, append } = artifactUpdate;
        const before = append === true ? (this.#texts.get(artifact.artifactId) ?? '') : '';
        this.#texts.set(artifact.artifactId, before + textOf(artifact));
      }
      this.is_over ||= isEnd((statusUpdate ?? task)?.status.state);
    }
  }
}

interface StreamResult {
  readonly task?: Task;
  readonly artifactUpdate?: { readonly artifact: Artifact; readonly append?: boolean };
  readonly statusUpdate?: { readonly status: Task['status'] };
}
