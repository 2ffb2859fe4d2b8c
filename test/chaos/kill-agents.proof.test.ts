import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { useFixture } from '@roadstead/testing';
import { beforeAll, expect, test } from 'vitest';
import { has_python } from '../support/languages.ts';
import { dataHome, type RunningPlatform, startPlatform } from '../support/platform.ts';
import { killProcessesOf } from '../support/process-tree.ts';
import {
  ENDED,
  type Fields,
  InsistingCaller,
  isEnd,
  type Run,
  type Task,
  TaskReader,
  textOf,
} from './insisting-caller.ts';
import { agentFolder, HOST } from './victims.ts';

/**
 * kill -9 of data plane, graph hosts and platform in turn while runs are cancelled, streams are taken up again, a cron comes
 * each second, and webhooks and push notifications go out. Each run and task reaches one end, and everybody is told of it.
 */

/** The same agent in each language that can be had here. */
const agents: readonly (readonly [name: string, folder: string, ...options: string[]])[] = [
  ['unhurried', agentFolder('unhurried')],
  ...(has_python
    ? ([['unhurried-python', agentFolder('python'), '--config', 'unhurried.json']] as const)
    : []),
];
const first = new InsistingCaller(() => platform, 'unhurried');
const callers = [first, ...agents.slice(1).map(([name]) => new InsistingCaller(() => platform, name))];
interface WebhookCall {
  readonly id: string;
  readonly body: Fields;
}

/** The bodies that came to each path, in their order. */
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
  await Promise.all(
    agents.map(async ([name, ...what]) => {
      const { code, stderr } = await platform.run('deploy', ...what, '--name', name);
      if (code !== 0) throw new Error(stderr);
    }),
  );
});

/** A task that is told of at a path of its own, is read while it goes on, and every third time is cancelled. */
async function useTask(caller: InsistingCaller, at: number): Promise<void> {
  const path = `/${caller.agent}/task/${at}`;
  const reader = new TaskReader(caller);
  const read = reader.toEnd({
    message: { messageId: `chaos-${at}`, role: 'ROLE_USER', parts: [{ text: `message ${at}` }] },
    configuration: { taskPushNotificationConfig: { id: 'mine', url: hooks + path } },
  });
  await expect.poll(() => reader.id, POLL).toBeDefined();
  const { id } = reader;
  taken.tasks += 1;
  if (at % 3 === 0) await cancelTask(caller, { id: id ?? '', path });
  await read;
  const task = (await caller.a2a('GetTask', { id })).result as unknown as Task;
  const { state } = task.status;
  expect(state).toBeOneOf(['TASK_STATE_COMPLETED', ...(at % 3 === 0 ? ['TASK_STATE_CANCELED'] : [])]);
  const artifacts = task.artifacts ?? [];
  // A begun message that was not finished is withdrawn: a reader may have a piece of it, under a name of its own.
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
async function cancelTask(
  caller: InsistingCaller,
  { id, path }: { readonly id: string; readonly path: string },
): Promise<void> {
  await expect.poll(() => toldAt(path).length, POLL).toBeGreaterThan(1);
  const { result, error } = await caller.a2a('CancelTask', { id });
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
async function useRun(caller: InsistingCaller, at: number): Promise<void> {
  const thread_id = crypto.randomUUID();
  await caller.insist('/threads', { body: { thread_id, if_exists: 'do_nothing' } });
  const run = await caller.insist<Run>(`/threads/${thread_id}/runs`, {
    body: {
      assistant_id: 'agent',
      input: { messages: [{ role: 'user', content: `run ${at}` }] },
      stream_mode: ['values', 'messages-tuple'],
      stream_resumable: true,
      webhook: `${hooks}/run`,
    },
  });
  taken.runs += 1;
  const reading = caller.readRun(run);
  const { run_id } = run;
  if (at % 3 === 0)
    await caller.insist(`/threads/${thread_id}/runs/${run_id}/cancel?wait=true`, { body: {} }).catch(isOver);
  expectAscending(await reading);
  // Where an answer was lost there is one that nobody knows of: that one ends as well.
  const all = await caller.insist<Run[]>(`/threads/${thread_id}/runs`);
  expect(all.map((one) => one.run_id)).toContain(run_id);
  for (const one of all) await expectOneEnd(caller, one, '/run');
}

/** One that has ended already can't be cancelled. */
function isOver(error: unknown): void {
  expect(String(error)).toContain('409');
}

async function expectOneEnd(
  caller: InsistingCaller,
  { thread_id, run_id }: Run,
  path: string,
): Promise<void> {
  const statusOf = async () => (await caller.insist<Run>(`/threads/${thread_id}/runs/${run_id}`)).status;
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
  byName(HOST),
  byName(/data-plane\/src\/main/),
  async () => {
    await platform.kill();
    platform = await restart();
  },
];

/** A schedule by which a run comes each second, of an agent in each language. */
async function everySecond(caller: InsistingCaller): Promise<string> {
  const { cron_id } = await caller.insist<{ cron_id: string }>('/runs/crons', {
    body: {
      assistant_id: 'agent',
      schedule: '* * * * * *',
      input: { messages: [{ role: 'user', content: 'x' }] },
      metadata: { chaos: 'cron' },
      on_run_completed: 'keep',
      webhook: `${hooks}/${caller.agent}/cron`,
    },
  });
  return cron_id;
}

/** Each date has one run on a thread of its own; dates that were missed have one together. */
async function expectOneRunEach(caller: InsistingCaller, begun_ms: number): Promise<void> {
  const path = `/${caller.agent}/cron`;
  const body = { metadata: { chaos: 'cron' }, limit: 1000 };
  const threads = await caller.insist<{ thread_id: string }[]>('/threads/search', { body });
  expect(threads.length).toBeLessThanOrEqual(Math.ceil((Date.now() - begun_ms) / 1000));
  expect(threads.length).toBeGreaterThanOrEqual(new Set(toldAt(path).map(({ id }) => id)).size);
  for (const { thread_id } of threads) {
    const [run, ...others] = await caller.insist<Run[]>(`/threads/${thread_id}/runs`);
    expect(others).toEqual([]);
    if (run !== undefined) await expectOneEnd(caller, run, path);
  }
}

const firedOf = ({ agent }: InsistingCaller) => toldAt(`/${agent}/cron`).length;

test('when anything is killed, then each run and task ends once, and each caller learns it', async () => {
  const begun_ms = Date.now();
  const crons = await Promise.all(callers.map(everySecond));
  const killing = { value: true };
  const users = [useTask, useRun].flatMap((use, kind) =>
    [0, 1, 2].map(async (user) => {
      const caller = callers[user % callers.length] ?? first;
      for (let at = user; killing.value; at += 3) await use(caller, kind * 1000 + at);
    }),
  );
  const kill = async () => {
    for (const victim of victims) {
      const [{ tasks, runs }, fired] = [{ ...taken }, callers.map(firedOf)];
      const goOn = () =>
        taken.tasks > tasks &&
        taken.runs > runs &&
        callers.every((one, at) => firedOf(one) > (fired[at] ?? 0));
      await expect.poll(goOn, POLL).toBe(true);
      await victim();
    }
  };
  await Promise.all([...users, kill().finally(() => (killing.value = false))]);

  for (const [at, caller] of callers.entries()) {
    const fired = firedOf(caller);
    await expect.poll(() => firedOf(caller), POLL).toBeGreaterThan(fired);
    await caller.insist(`/runs/crons/${crons[at]}`, { body: { enabled: false }, method: 'PATCH' });
  }
  await Promise.all(callers.map((caller) => expectOneRunEach(caller, begun_ms)));
}, 240_000);
