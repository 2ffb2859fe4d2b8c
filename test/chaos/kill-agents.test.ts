import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { useFixture } from '@roadstead/testing';
import { beforeAll, expect, test } from 'vitest';
import { dataHome, type RunningPlatform, startPlatform } from '../support/platform.ts';
import { killProcessesOf } from '../support/process-tree.ts';

/**
 * kill -9 of data plane, graph hosts and platform in turn while runs are cancelled, streams are taken up again, a cron comes
 * each second, and webhooks and push notifications go out. Each run and task reaches one end, and everybody is told of it.
 */

const agent = fileURLToPath(new URL('../agents/unhurried', import.meta.url));
const ENDED = ['success', 'error', 'interrupted', 'timeout'];
const isEnd = (state: unknown) => /_(COMPLETED|CANCELED|FAILED|REJECTED)$/.test(String(state));
const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

type Fields = Readonly<Record<string, unknown>>;
interface WebhookCall {
  readonly id: string;
  readonly body: Fields;
}

/** What was told at each path, in the order in which it came. */
const told = new Map<string, WebhookCall[]>();
const toldAt = (path: string) => told.get(path) ?? [];
const receiver = createServer((request, response) => {
  let text = '';
  request.on('data', (piece: Buffer) => (text += piece.toString()));
  request.on('end', () => {
    const { url = '', headers } = request;
    told.set(url, [...toldAt(url), { id: String(headers['webhook-id']), body: JSON.parse(text) as Fields }]);
    response.end();
  });
});

const stack = useFixture(() => new AsyncDisposableStack());
let platform: RunningPlatform;
let hooks: string;
let restart: () => Promise<RunningPlatform>;
beforeAll(async () => {
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
  stack().defer(() => void receiver.close());
  hooks = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  const home = stack().use(await dataHome());
  const env = { ROADSTEAD_ALLOWED_HOSTS: '127.0.0.1' };
  platform = await startPlatform(home.path, { env });
  stack().defer(() => platform[Symbol.asyncDispose]());
  const port = Number(new URL(platform.url).port);
  restart = () => startPlatform(home.path, { env, port });
  const { code, stderr } = await platform.run('deploy', agent, '--name', 'unhurried');
  if (code !== 0) throw new Error(stderr);
});

/** Undefined where nobody answers, or only that nobody can. */
async function ask(path: string, init: RequestInit = {}): Promise<Response | undefined> {
  const headers = { 'content-type': 'application/json', ...(init.headers as Record<string, string>) };
  const url = `${platform.url}/agents/unhurried${path}`;
  const answer = await platform.fetch(url, { ...init, headers }).catch(() => undefined);
  return answer === undefined || answer.status >= 500 || answer.status === 429 ? undefined : answer;
}

/** Asks until it is answered: a caller that was not answered may ask again. */
async function insist<T>(path: string, body?: object, method = 'POST'): Promise<T> {
  const init = body === undefined ? {} : { method, body: JSON.stringify(body) };
  for (;;) {
    const answer = await ask(path, init);
    const text = await answer?.text().catch(() => undefined);
    if (answer !== undefined && text !== undefined) {
      if (answer.ok) return JSON.parse(text === '' ? 'null' : text) as T;
      throw new Error(`${path}: ${answer.status} ${text}`);
    }
    await pause(100);
  }
}

interface Task {
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

const rpc = (method: string, params: object) => ({ jsonrpc: '2.0', id: '1', method, params });

/** An agent that cannot tell now answers with error -32603, and is asked again. */
async function a2a(method: string, params: object): Promise<Answer> {
  for (;;) {
    const answer = await insist<Answer>('/a2a/agent', rpc(method, params));
    if (answer.error?.code !== -32_603) return answer;
    await pause(100);
  }
}

const textOf = ({ parts }: Artifact) => parts.map(({ text = '' }) => text).join('');

interface Frame {
  readonly id: string;
  readonly data: string;
}

/** The whole frames of a stream, until it breaks or ends. */
async function* framesOf(answer: Response): AsyncGenerator<Frame> {
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
class TaskReader {
  readonly #texts = new Map<string, string>();
  readonly ids: number[] = [];
  id: string | undefined;
  is_over = false;
  /** The id of the last frame, also of one that shows the task as it stands. */
  #last = '';

  textOf({ artifactId }: Artifact): string | undefined {
    return this.#texts.get(artifactId);
  }

  /** Sends the message until its task is known, then subscribes to that until it has ended. */
  async toEnd(send: object): Promise<void> {
    while (!this.is_over) {
      const headers = { accept: 'text/event-stream', 'last-event-id': this.#last };
      const asked =
        this.id === undefined ? rpc('SendStreamingMessage', send) : rpc('SubscribeToTask', { id: this.id });
      const answer = await ask('/a2a/agent', { method: 'POST', body: JSON.stringify(asked), headers });
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

/** The ids of a run's events, by a reader who does the same. */
async function readRun({ thread_id, run_id }: Run): Promise<readonly number[]> {
  const ids: number[] = [];
  for (;;) {
    const before = await insist<Run>(`/threads/${thread_id}/runs/${run_id}`);
    const answer = await ask(`/threads/${thread_id}/runs/${run_id}/stream`, {
      headers: { 'last-event-id': String(ids.at(-1) ?? -1) },
    });
    if (answer?.ok === true) for await (const { id } of framesOf(answer)) if (id !== '') ids.push(Number(id));
    if (answer?.ok === true && ENDED.includes(before.status)) return ids;
    await pause(50);
  }
}

interface Run {
  readonly run_id: string;
  readonly thread_id: string;
  readonly status: string;
}

/** A task that is told of at a path of its own, is read while it goes on, and every third time is cancelled. */
async function useTask(at: number): Promise<void> {
  const path = `/task/${at}`;
  const reader = new TaskReader();
  const read = reader.toEnd({
    message: { messageId: `chaos-${at}`, role: 'ROLE_USER', parts: [{ text: `message ${at}` }] },
    configuration: { taskPushNotificationConfig: { id: 'mine', url: hooks + path } },
  });
  await expect.poll(() => reader.id, POLL).toBeDefined();
  const { id } = reader;
  taken.tasks += 1;
  if (at % 3 === 0) await cancelTask(id ?? '', path);
  await read;
  const task = (await a2a('GetTask', { id })).result as unknown as Task;
  const { state } = task.status;
  expect(state).toBeOneOf(['TASK_STATE_COMPLETED', ...(at % 3 === 0 ? ['TASK_STATE_CANCELED'] : [])]);
  const artifacts = task.artifacts ?? [];
  // What was begun and not finished is withdrawn: a reader may have a piece of it, under a name of its own.
  const heard = state === 'TASK_STATE_COMPLETED' ? [`heard: message ${at}`] : artifacts.map(textOf);
  expect(artifacts.map(textOf)).toEqual(heard);
  for (const artifact of artifacts) expect(reader.textOf(artifact)).toBe(textOf(artifact));
  expectAscending(reader.ids);

  await expect.poll(() => stateTold(toldAt(path).at(-1)), POLL).toBe(state);
  const seqs = toldAt(path).map((one) => Number(one.id.split('.')[1]));
  expect(seqs, 'in order, repeated at most').toEqual(seqs.toSorted((one, other) => one - other));
  const ends = new Set(toldAt(path).map(stateTold).filter(isEnd));
  expect([...ends]).toEqual([state]);
}

/** Once something was told of it. */
async function cancelTask(id: string, path: string): Promise<void> {
  await expect.poll(() => toldAt(path).length, POLL).toBeGreaterThan(1);
  const { result, error } = await a2a('CancelTask', { id });
  const state = (result as unknown as Task | undefined)?.status.state;
  // Where the answer was lost it was cancelled before; or it was quicker.
  expect(error?.code ?? state).toBeOneOf([-32_002, 'TASK_STATE_CANCELED']);
}

const stateTold = (told: WebhookCall | undefined) =>
  (told?.body['statusUpdate'] as { status?: { state?: string } } | undefined)?.status?.state;

function expectAscending(ids: readonly number[]): void {
  expect(ids, 'each once').toEqual([...new Set(ids)].toSorted((one, other) => one - other));
}

/** A run with a webhook that is read while it goes on, and every third time is cancelled. */
async function useRun(at: number): Promise<void> {
  const thread_id = crypto.randomUUID();
  await insist('/threads', { thread_id, if_exists: 'do_nothing' });
  const run = await insist<Run>(`/threads/${thread_id}/runs`, {
    assistant_id: 'agent',
    input: { messages: [{ role: 'user', content: `run ${at}` }] },
    stream_mode: ['values', 'messages-tuple'],
    stream_resumable: true,
    webhook: `${hooks}/run`,
  });
  taken.runs += 1;
  const reading = readRun(run);
  const { run_id } = run;
  if (at % 3 === 0) await insist(`/threads/${thread_id}/runs/${run_id}/cancel?wait=true`, {}).catch(isOver);
  expectAscending(await reading);
  // Where an answer was lost there is one that nobody knows of: that one ends as well.
  const all = await insist<Run[]>(`/threads/${thread_id}/runs`);
  expect(all.map((one) => one.run_id)).toContain(run_id);
  for (const one of all) await expectOneEnd(one, '/run');
}

/** One that has ended already can't be cancelled. */
function isOver(error: unknown): void {
  expect(String(error)).toContain('409');
}

async function expectOneEnd({ thread_id, run_id }: Run, path: string): Promise<void> {
  const statusOf = async () => (await insist<Run>(`/threads/${thread_id}/runs/${run_id}`)).status;
  await expect.poll(statusOf, POLL).toBeOneOf(ENDED);
  const status = await statusOf();
  const calls = () => toldAt(path).filter(({ id }) => id === run_id);
  await expect.poll(() => calls().length, POLL).toBeGreaterThan(0);
  expect(new Set(calls().map(({ body }) => body['status']))).toEqual(new Set([status]));
}

const POLL = { timeout: 60_000, interval: 100 };
const taken = { tasks: 0, runs: 0 };

const byName = (pattern: RegExp) => async () => killProcessesOf(platform.pid, pattern);
const victims: readonly (() => Promise<unknown>)[] = [
  byName(/graph-host\/src\/main/),
  byName(/data-plane\/src\/main/),
  async () => {
    await platform.kill();
    platform = await restart();
  },
];

test('when anything is killed, then each run and task ends once, and each caller learns it', async () => {
  const begun_ms = Date.now();
  const cron = await insist<{ cron_id: string }>('/runs/crons', {
    assistant_id: 'agent',
    schedule: '* * * * * *',
    input: { messages: [{ role: 'user', content: 'x' }] },
    metadata: { chaos: 'cron' },
    on_run_completed: 'keep',
    webhook: `${hooks}/cron`,
  });
  const killing = { value: true };
  const users = [useTask, useRun].flatMap((use, kind) =>
    [0, 1, 2].map(async (user) => {
      for (let at = user; killing.value; at += 3) await use(kind * 1000 + at);
    }),
  );
  const kill = async () => {
    for (const victim of victims) {
      const [{ tasks, runs }, crons] = [{ ...taken }, toldAt('/cron').length];
      const goOn = () => taken.tasks > tasks && taken.runs > runs && toldAt('/cron').length > crons;
      await expect.poll(goOn, POLL).toBe(true);
      await victim();
    }
  };
  await Promise.all([...users, kill().finally(() => (killing.value = false))]);

  const fired = toldAt('/cron').length;
  await expect.poll(() => toldAt('/cron').length, POLL).toBeGreaterThan(fired);
  await insist(`/runs/crons/${cron.cron_id}`, { enabled: false }, 'PATCH');
  const threads = await insist<{ thread_id: string }[]>('/threads/search', {
    metadata: { chaos: 'cron' },
    limit: 1000,
  });
  // Each date has one run on a thread of its own; dates that were missed have one together.
  expect(threads.length).toBeLessThanOrEqual(Math.ceil((Date.now() - begun_ms) / 1000));
  expect(threads.length).toBeGreaterThanOrEqual(new Set(toldAt('/cron').map(({ id }) => id)).size);
  for (const { thread_id } of threads) {
    const [run, ...others] = await insist<Run[]>(`/threads/${thread_id}/runs`);
    expect(others).toEqual([]);
    if (run !== undefined) await expectOneEnd(run, '/cron');
  }
}, 240_000);
