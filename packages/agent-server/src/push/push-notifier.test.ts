import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { createSecretBox, Problem, silentLog } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { pushWriter } from '../a2a/push-payload.ts';
import type { Owner } from '../tasks/task-engine.ts';
import { isSettled, type Task, type TaskEvent, type TaskState } from '../tasks/task.ts';
import { engineDatabase } from '../testing/engine-database.ts';
import type { PushConfigRequest } from './push-config.ts';
import { PushNotifier, type PushNotifierOptions } from './push-notifier.ts';
import { validateRequest, headersOf } from './push-rules.ts';

const owner: Owner = { principal: 'workspace:w', assistant_id: crypto.randomUUID() };
const hook = 'https://receiver.test/hook';
const wish = (more: Partial<PushConfigRequest> = {}): PushConfigRequest => ({
  config_id: undefined,
  url: hook,
  token: undefined,
  scheme: undefined,
  credentials: undefined,
  ...more,
});

/** One task whose events a test writes, and who follows them. */
function scriptedTask(id: string) {
  const events: TaskEvent[] = [];
  let wake = Promise.withResolvers<void>();
  const statusOf = () => events.findLast((event) => event.kind === 'status')?.status;
  const task = (): Task => ({
    id,
    context_id: 'c',
    assistant_id: owner.assistant_id,
    status: statusOf() ?? { state: 'submitted', at: '2026-01-01T00:00:00.000Z' },
    history: [],
    artifacts: [],
    seq: events.at(-1)?.seq ?? 1,
  });
  return {
    status: (state: TaskState) => {
      const at = '2026-01-01T00:00:00.000Z';
      events.push({ seq: task().seq + 1, kind: 'status', status: { state, at } });
      wake.resolve();
      wake = Promise.withResolvers();
    },
    piece: (text: string, append: boolean) => {
      const artifact = { artifact_id: 'a', parts: [{ kind: 'text' as const, text }] };
      events.push({ seq: task().seq + 1, kind: 'artifact', artifact, append, last_chunk: false });
      wake.resolve();
      wake = Promise.withResolvers();
    },
    tasks: {
      task: async (by: Owner, task_id: string) =>
        by.principal === owner.principal && task_id === id ? task() : undefined,
      async *events(
        _id: string,
        after_seq: number,
        { signal }: { readonly signal: AbortSignal },
      ): AsyncGenerator<TaskEvent> {
        let last = after_seq;
        const aborted = new Promise<void>((resolve) =>
          signal.addEventListener('abort', () => resolve(), { once: true }),
        );
        if (isSettled(task().status.state) && task().seq <= last) return;
        while (!signal.aborted) {
          const next = events.find((event) => event.seq > last);
          if (next === undefined) await Promise.race([wake.promise, aborted]);
          else {
            last = next.seq;
            yield next;
            if (next.kind === 'status' && isSettled(next.status.state)) return;
          }
        }
      },
    },
  };
}

interface Came {
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
}

async function openPush(answers: readonly number[] = []) {
  const own = await engineDatabase();
  const epoch = await own.takeEpoch();
  const task_id = crypto.randomUUID();
  await insertTask(own.db, task_id);
  const script = scriptedTask(task_id);
  const came: Came[] = [];
  const open = (options: Partial<PushNotifierOptions> = {}) =>
    new PushNotifier({
      db: own.db,
      epoch,
      tasks: script.tasks,
      box: createSecretBox(['key']),
      fetch: async (request) => {
        const text = await request.text();
        came.push({
          headers: Object.fromEntries(request.headers),
          text,
          body: JSON.parse(text) as Came['body'],
        });
        return new Response(null, { status: answers[came.length - 1] ?? 200 });
      },
      write: pushWriter(async () => true),
      log: silentLog,
      random: () => 0,
      ...options,
    }).open();
  const task = (version: '0.3' | '1.0' = '1.0') => ({ owner, task_id, version, seq: 1 });
  const row = () =>
    own.db.maybe<{
      state: string;
      seq: number;
      attempts: number;
      error: string | null;
      secrets: string | null;
    }>('select state, seq, attempts, error, secrets from push_configs where task_id = $1', [task_id]);
  return {
    ...own,
    ...script,
    task_id,
    task,
    came,
    open,
    row,
    [Symbol.asyncDispose]: () => own[Symbol.asyncDispose](),
  };
}

async function insertTask(db: Database, task_id: string): Promise<void> {
  await db.run(
    `insert into tasks (task_id, principal, assistant_id, context_id, thread_id, run_id, context_key, message_id, state, status, history, artifacts, seq)
     values ($1::uuid, $2, $3, 'c', $1, $1, '', $1::uuid::text, 'submitted', '{}', '[]', '[]', 1)`,
    [task_id, owner.principal, owner.assistant_id],
  );
}

test('when a config is of 1.0, then it is told each event in order, as a stream is', async () => {
  await using box = await openPush();
  await using push = await box.open();
  await push.set(wish({ scheme: 'Bearer', credentials: 'abc', token: 't' }), box.task());
  box.status('working');
  await expect.poll(() => box.came.length).toBe(1);
  box.piece('Hel', false);
  await expect.poll(() => box.came.length).toBe(2);
  box.status('completed');
  await expect.poll(box.row).toMatchObject({ state: 'done', seq: 4, attempts: 0 });
  expect(box.came.map(({ body }) => body)).toMatchObject([
    { statusUpdate: { taskId: box.task_id, contextId: 'c', status: { state: 'TASK_STATE_WORKING' } } },
    { artifactUpdate: { artifact: { parts: [{ text: 'Hel' }] }, append: false } },
    { statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } } },
  ]);
  expect(box.came[0]?.headers).toMatchObject({
    'content-type': 'application/a2a+json',
    authorization: 'Bearer abc',
    'x-a2a-notification-token': 't',
    'webhook-id': `${box.task_id}.2`,
  });
});

test('when a config is of 0.3, then it is told the task whenever its status changes', async () => {
  await using box = await openPush();
  await using push = await box.open();
  expect(await push.set(wish(), box.task('0.3'))).toMatchObject({ config_id: box.task_id });
  box.status('working');
  await expect.poll(() => box.came.length).toBe(1);
  box.piece('Hello', false);
  box.status('completed');
  await expect.poll(box.row).toMatchObject({ state: 'done' });
  expect(box.came.map(({ body }) => body)).toMatchObject([
    { kind: 'task', id: box.task_id, status: { state: 'working' } },
    { kind: 'task', status: { state: 'completed' } },
  ]);
});

test('when pieces wait for a slow receiver, then they are told as one', async () => {
  await using box = await openPush();
  const gate = Promise.withResolvers<void>();
  const texts: string[] = [];
  await using push = await box.open({
    fetch: async (request) => {
      texts.push(await request.text());
      await gate.promise;
      return new Response();
    },
  });
  await push.set(wish(), box.task());
  box.status('working');
  await expect.poll(() => texts.length).toBe(1);
  for (const [at, piece] of ['a', 'b', 'c', 'd'].entries()) box.piece(piece, at > 0);
  box.status('completed');
  gate.resolve();
  await expect.poll(box.row).toMatchObject({ state: 'done', seq: 7 });
  expect(texts).toHaveLength(3);
  expect(texts[1]).toContain('"abcd"');
});

test('when a notification is not taken, then the next engine tells it again from there on', async () => {
  await using box = await openPush([500, 200]);
  {
    await using push = await box.open();
    await push.set(wish(), box.task());
    box.status('working');
    await expect.poll(box.row).toMatchObject({ state: 'open', seq: 1, attempts: 1, error: 'answered 500' });
    box.status('completed');
  }
  await box.db.run(`update push_configs set due_at = now() - interval '1 second'`);
  const epoch = await box.takeEpoch();
  await using _ = await box.open({ epoch });
  await expect.poll(box.row).toMatchObject({ state: 'done', seq: 3 });
  const states = box.came.map(
    ({ body }) => (body['statusUpdate'] as { status: Task['status'] }).status.state,
  );
  expect(states).toEqual(['TASK_STATE_WORKING', 'TASK_STATE_WORKING', 'TASK_STATE_COMPLETED']);
  expect(box.came[0]?.headers['webhook-id']).toBe(box.came[1]?.headers['webhook-id']);
});

test('when a notification was taken and not recorded, then it is told again as it was', async () => {
  await using box = await openPush();
  const gate = Promise.withResolvers<void>();
  const push = await box.open({
    fetch: async (request) => {
      const headers = Object.fromEntries(request.headers);
      const text = await request.text();
      box.came.push({ headers, text, body: JSON.parse(text) as Came['body'] });
      await gate.promise;
      // From here on nothing is recorded.
      if (box.came.length > 1) await box.takeEpoch();
      return new Response();
    },
  });
  await push.set(wish(), box.task());
  box.piece('a', false);
  await expect.poll(() => box.came.length).toBe(1);
  box.piece('b', true);
  box.piece('c', true);
  gate.resolve();
  await expect.poll(() => box.came.length).toBe(2);
  await push[Symbol.asyncDispose]();
  box.piece('d', true);
  await using _ = await box.open({ epoch: await box.takeEpoch() });
  await expect.poll(() => box.came.length).toBe(4);
  const told = box.came.map(({ headers, body }) => [
    headers['webhook-id'],
    (body as { artifactUpdate: { artifact: { parts: { text: string }[] } } }).artifactUpdate.artifact.parts[0]
      ?.text,
  ]);
  expect(told).toEqual([
    [`${box.task_id}.2`, 'a'],
    [`${box.task_id}.4`, 'bc'],
    [`${box.task_id}.4`, 'bc'],
    [`${box.task_id}.5`, 'd'],
  ]);
});

test('when a try has failed, then it is repeated at its time', async () => {
  await using box = await openPush([500, 200]);
  let now = Date.now();
  await using push = await box.open({ clock: { now: () => now } });
  await push.set(wish(), box.task());
  box.status('completed');
  await expect.poll(box.row).toMatchObject({ attempts: 1 });
  now += 60_000;
  push.wake(box.task_id);
  expect(box.came).toHaveLength(1);
  await push.set(wish({ config_id: 'other' }), { ...box.task(), seq: 2 });
  // Any other alarm makes it look at the clock.
  await expect.poll(() => box.came.length).toBe(2);
});

test('when a task that asks is woken, then it goes on to be told', async () => {
  await using box = await openPush();
  await using push = await box.open();
  await push.set(wish(), box.task());
  box.status('input-required');
  await expect.poll(() => box.came.length).toBe(1);
  expect(await box.row()).toMatchObject({ state: 'open' });
  box.status('working');
  push.wake(box.task_id);
  box.status('completed');
  await expect.poll(box.row).toMatchObject({ state: 'done' });
  expect(box.came).toHaveLength(3);
});

test('when an engine was replaced, then it records nothing; secrets are sealed', async () => {
  await using box = await openPush();
  await using push = await box.open();
  expect(await push.set(wish({ token: 'hunter2' }), box.task())).not.toHaveProperty('token');
  expect((await box.row())?.secrets).toMatch(/^v1\./);
  await box.takeEpoch();
  box.status('completed');
  await expect.poll(() => box.came.length).toBe(1);
  expect(await box.row()).toMatchObject({ state: 'open', seq: 1 });
  await expect(push.set(wish({ config_id: 'b' }), box.task())).rejects.toThrow(/taken this deployment over/);
});

test('when an address may not be called, then it is given up at once', async () => {
  await using box = await openPush();
  const fetch = () =>
    Promise.reject(new Problem('invalid', 'receiver.test is not a host of the public internet.'));
  await using push = await box.open({ fetch });
  await push.set(wish(), box.task());
  box.status('completed');
  await expect
    .poll(box.row)
    .toMatchObject({ state: 'dead', error: expect.stringMatching(/public internet/) });
});

test('when a config is removed, then it is told no more; a task has at most twenty', async () => {
  await using box = await openPush();
  await using push = await box.open();
  for (let at = 0; at < 20; at += 1) await push.set(wish({ config_id: `${at}` }), box.task());
  await expect(push.set(wish({ config_id: 'more' }), box.task())).rejects.toThrow(/at most 20/);
  await push.set(wish({ config_id: '3' }), box.task());
  for (let at = 0; at < 20; at += 1) await push.remove(box.task_id, `${at}`);
  expect(await push.list(box.task_id)).toEqual([]);
});

describe('a wish', () => {
  test.each<[string, Partial<PushConfigRequest>]>([
    ['url', { url: 'hook' }],
    ['url', { url: 'file:///etc/passwd' }],
    ['url', { url: 'https://me:pass@a.example' }],
    ['token', { token: 'a\nb' }],
    ['credentials', { scheme: 'Bearer', credentials: 'é' }],
    ['scheme', { scheme: 'Bearer x', credentials: 'a' }],
    ['whsec_', { scheme: 'HMAC', credentials: 'hunter2' }],
  ])('when a wish is wrong in its %s, then it is refused: %j', (field, more) => {
    expect(() => validateRequest(wish(more))).toThrow(field);
  });

  test('when the scheme is HMAC, then notifications are signed, and the secret stays here', async () => {
    await using box = await openPush();
    await using push = await box.open();
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    await push.set(wish({ scheme: 'HMAC-SHA256', credentials: secret }), box.task());
    box.status('completed');
    await expect.poll(() => box.came.length).toBe(1);
    const [{ text, headers }] = box.came as [Came];
    expect(new Webhook(secret).verify(text, headers)).toHaveProperty('statusUpdate');
    expect(headers).not.toHaveProperty('authorization');
    expect(headersOf({ credentials: 'x' }, { scheme: undefined, traceparent: null })).toEqual({
      headers: {},
      secrets: [],
    });
  });
});
