import { expect } from 'vitest';
import {
  ENDED,
  type InsistingCaller,
  isEnd,
  type Run,
  type Task,
  TaskReader,
  textOf,
} from './insisting-caller.ts';
import type { WebhookCall, WebhookReceiver } from './webhook-receiver.ts';

/** Users of agents, who insist while things are ended around them: each of their runs and tasks reaches one end, and they are told of it. */

/** Ends something by force; answers when it may be noticed. */
export type Blow = () => Promise<unknown>;

interface AgentUsersOptions {
  readonly callers: readonly InsistingCaller[];
  readonly hooks: WebhookReceiver;
  /** How long what is waited for may take. */
  readonly patience_ms?: number;
}

interface Counts {
  tasks: number;
  runs: number;
}

/** One user of one agent. */
interface User {
  readonly caller: InsistingCaller;
  readonly hooks: WebhookReceiver;
  readonly poll: { readonly timeout: number; readonly interval: number };
  /** What all users have taken. */
  readonly taken: Counts;
}

/** Deals each blow once everybody has got something done since the one before; answers what all have got done. */
export async function outlive(
  { callers, hooks, patience_ms = 60_000 }: AgentUsersOptions,
  blows: readonly Blow[],
): Promise<Readonly<Counts>> {
  const begun_ms = Date.now();
  const taken: Counts = { tasks: 0, runs: 0 };
  const poll = { timeout: patience_ms, interval: 100 };
  const each = callers.map((caller): User => ({ caller, hooks, poll, taken }));
  const crons = await Promise.all(each.map(everySecond));
  const dealing = { value: true };
  const users = [useTask, useRun].flatMap((use, kind) =>
    [0, 1, 2].map(async (at_first) => {
      const user = each[at_first % each.length];
      if (user === undefined) return;
      for (let at = at_first; dealing.value; at += 3) await use(user, kind * 1000 + at);
    }),
  );
  const deal = async () => {
    for (const blow of blows) {
      await goneOn(each);
      await blow();
    }
  };
  await Promise.all([...users, deal().finally(() => (dealing.value = false))]);

  for (const [at, user] of each.entries()) {
    const fired = firedOf(user);
    await expect.poll(() => firedOf(user), poll).toBeGreaterThan(fired);
    await user.caller.insist(`/runs/crons/${crons[at]}`, { body: { enabled: false }, method: 'PATCH' });
  }
  await Promise.all(each.map((user) => expectOneRunEach(user, begun_ms)));
  return taken;
}

/** Until a task and a run more were taken, and a cron of each agent has fired. */
async function goneOn(users: readonly User[]): Promise<void> {
  const [first] = users;
  if (first === undefined) return;
  const [{ tasks, runs }, fired] = [{ ...first.taken }, users.map(firedOf)];
  const isOn = () =>
    first.taken.tasks > tasks &&
    first.taken.runs > runs &&
    users.every((one, at) => firedOf(one) > (fired[at] ?? 0));
  await expect.poll(isOn, first.poll).toBe(true);
}

/** A task that is told of at a path of its own, is read while it goes on, and every third time is cancelled. */
async function useTask({ caller, hooks, poll, taken }: User, at: number): Promise<void> {
  const path = `/${caller.agent}/task/${at}`;
  const told = () => hooks.toldAt(path);
  const reader = new TaskReader(caller);
  const read = reader.toEnd({
    message: { messageId: `chaos-${at}`, role: 'ROLE_USER', parts: [{ text: `message ${at}` }] },
    configuration: { taskPushNotificationConfig: { id: 'mine', url: hooks.url + path } },
  });
  await expect.poll(() => reader.id, poll).toBeDefined();
  const { id } = reader;
  taken.tasks += 1;
  if (at % 3 === 0) {
    // Once something was told of it.
    await expect.poll(() => told().length, poll).toBeGreaterThan(1);
    await cancelTask(caller, id);
  }
  await read;
  const task = (await caller.a2a('GetTask', { id })).result as unknown as Task;
  const { state } = task.status;
  expect(state, JSON.stringify(task.status)).toBeOneOf([
    'TASK_STATE_COMPLETED',
    ...(at % 3 === 0 ? ['TASK_STATE_CANCELED'] : []),
  ]);
  const artifacts = task.artifacts ?? [];
  // A begun message that was not finished is withdrawn: a reader may have a piece of it, under a name of its own.
  const heard = state === 'TASK_STATE_COMPLETED' ? [`heard: message ${at}`] : artifacts.map(textOf);
  expect(artifacts.map(textOf)).toEqual(heard);
  for (const artifact of artifacts) expect(reader.textOf(artifact)).toBe(textOf(artifact));
  expectAscending(reader.ids);

  await expect.poll(() => stateTold(told().at(-1)), poll).toBe(state);
  const seqs = told().map((one) => Number(one.id.split('.')[1]));
  expect(seqs, 'in order, repeated at most').toEqual(seqs.toSorted((one, other) => one - other));
  const ends = new Set(told().map(stateTold).filter(isEnd));
  expect([...ends]).toEqual([state]);
}

/** A run with a webhook that is read while it goes on, and every third time is cancelled. */
async function useRun(user: User, at: number): Promise<void> {
  const { caller, hooks, taken } = user;
  const thread_id = crypto.randomUUID();
  await caller.insist('/threads', { body: { thread_id, if_exists: 'do_nothing' } });
  const run = await caller.insist<Run>(`/threads/${thread_id}/runs`, {
    body: {
      assistant_id: 'agent',
      input: { messages: [{ role: 'user', content: `run ${at}` }] },
      stream_mode: ['values', 'messages-tuple'],
      stream_resumable: true,
      webhook: `${hooks.url}/run`,
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
  for (const one of all) await expectOneEnd(user, { run: one, path: '/run' });
}

async function expectOneEnd(
  { caller, hooks, poll }: User,
  { run: { thread_id, run_id }, path }: { readonly run: Run; readonly path: string },
): Promise<void> {
  const statusOf = async () => (await caller.insist<Run>(`/threads/${thread_id}/runs/${run_id}`)).status;
  await expect.poll(statusOf, poll).toBeOneOf(ENDED);
  const status = await statusOf();
  const calls = () => hooks.toldAt(path).filter(({ id }) => id === run_id);
  await expect.poll(() => calls().length, poll).toBeGreaterThan(0);
  expect(new Set(calls().map(({ body }) => body['status']))).toEqual(new Set([status]));
}

/** A schedule by which a run comes each second. */
async function everySecond({ caller, hooks }: User): Promise<string> {
  const { cron_id } = await caller.insist<{ cron_id: string }>('/runs/crons', {
    body: {
      assistant_id: 'agent',
      schedule: '* * * * * *',
      input: { messages: [{ role: 'user', content: 'x' }] },
      metadata: { chaos: 'cron' },
      on_run_completed: 'keep',
      webhook: `${hooks.url}/${caller.agent}/cron`,
    },
  });
  return cron_id;
}

/** Each date has one run on a thread of its own; dates that were missed have one together. */
async function expectOneRunEach(user: User, begun_ms: number): Promise<void> {
  const { caller, hooks } = user;
  const path = `/${caller.agent}/cron`;
  const body = { metadata: { chaos: 'cron' }, limit: 1000 };
  const threads = await caller.insist<{ thread_id: string }[]>('/threads/search', { body });
  expect(threads.length).toBeLessThanOrEqual(Math.ceil((Date.now() - begun_ms) / 1000));
  expect(threads.length).toBeGreaterThanOrEqual(new Set(hooks.toldAt(path).map(({ id }) => id)).size);
  for (const { thread_id } of threads) {
    const [run, ...others] = await caller.insist<Run[]>(`/threads/${thread_id}/runs`);
    expect(others).toEqual([]);
    if (run !== undefined) await expectOneEnd(user, { run, path });
  }
}

const firedOf = ({ caller, hooks }: User): number => hooks.toldAt(`/${caller.agent}/cron`).length;

async function cancelTask(caller: InsistingCaller, id: string | undefined): Promise<void> {
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

/** One that has ended already can't be cancelled. */
function isOver(error: unknown): void {
  expect(String(error)).toContain('409');
}
