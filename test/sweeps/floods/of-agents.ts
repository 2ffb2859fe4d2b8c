import { createSecretBox, receiverOf, silentLog } from '@roadstead/kit';
import type { Queryable } from '@roadstead/postgres';
import { CronLoop } from '../../../packages/agent-server/src/crons/cron-loop.ts';
import { insertCron } from '../../../packages/agent-server/src/crons/cron-store.ts';
import type { OpenPush } from '../../../packages/agent-server/src/push/push-config.ts';
import { PushSender } from '../../../packages/agent-server/src/push/push-sender.ts';
import type { Run } from '../../../packages/agent-server/src/runs/run.ts';
import { engineDatabase } from '../../../packages/agent-server/src/testing/engine-database.ts';
import { WebhookLoop } from '../../../packages/agent-server/src/webhooks/webhook-loop.ts';
import { type Gate, type Name, type OpenScene, partOf, type Scene } from './gate.ts';

/** Within one deployment: the owners are callers. */

/** Answers once the gate lets it, by whom the address names. */
const receiver = (gate: Gate) => async (request: Request) => {
  await gate.pass(new URL(request.url).pathname.slice(1) as Name);
  return new Response();
};
const urlOf = (name: Name, part: string) => `https://${part}.test/${name}`;

const insertCall = async (db: Queryable, name: Name, url: string) => {
  const run_id = crypto.randomUUID();
  const at = '2026-01-01T00:00:00.000Z';
  const run = { run_id, kwargs: {}, status: 'success', traceparent: null, created_at: at, updated_at: at };
  await db.run(
    `insert into webhook_calls (run_id, url, principal, receiver, run) values ($1, $2, $3, $4, $5::text::jsonb)`,
    [run_id, url, name, receiverOf(url), JSON.stringify(run)],
  );
};

const webhooks: OpenScene = async (gate) => {
  await using stack = new AsyncDisposableStack();
  const own = stack.use(await engineDatabase());
  const serving = { settings: null, disabled: false, environment: {} };
  const loop = stack.use(
    new WebhookLoop({
      db: own.db,
      epoch: await own.takeEpoch(),
      fetch: receiver(gate),
      loopback: receiver(gate),
      serving: () => serving,
      present: () => ({}),
      log: silentLog,
    }),
  );
  return scene(stack.move(), async (name, asked) => {
    for (let at = 0; at < asked.pieces; at += 1)
      await insertCall(own.db, name, urlOf(name, partOf(at, asked)));
    loop.start();
  });
};

const crons: OpenScene = async (gate) => {
  await using stack = new AsyncDisposableStack();
  const own = stack.use(await engineDatabase());
  const { db } = own;
  const epoch = await own.takeEpoch();
  const loop = stack.use(
    new CronLoop({
      db,
      epoch,
      runs: { find: async () => undefined },
      begin: async ({ principal }, run_id) => {
        await gate.pass(principal as Name);
        return { run_id } as Run;
      },
      log: silentLog,
    }),
  );
  return scene(stack.move(), async (principal, { pieces }) => {
    for (let at = 0; at < pieces; at += 1)
      await insertCron(db, {
        cron: {
          assistant_id: crypto.randomUUID(),
          thread_id: null,
          principal,
          user: null,
          on_run_completed: 'delete',
          payload: {},
          metadata: {},
          marks: {},
          schedule: '0 0 * * *',
          timezone: null,
          end_time: null,
          enabled: true,
          next_run_date: new Date(Date.now() - 1000).toISOString(),
          next_run_id: crypto.randomUUID(),
        },
        epoch,
      });
    loop.start();
  });
};

const pushes: OpenScene = async (gate) => {
  const sender = new PushSender({
    fetch: receiver(gate),
    box: createSecretBox(['key']),
  });
  const stop = new AbortController();
  const stack = new AsyncDisposableStack();
  stack.defer(() => stop.abort());
  return scene(stack, (principal, asked) => {
    for (let at = 0; at < asked.pieces; at += 1) {
      const push = {
        task_id: `${at}`,
        config_id: 'c',
        owner: { principal, assistant_id: 'a' },
        url: urlOf(principal, partOf(at, asked)),
        secrets: null,
        scheme: undefined,
        traceparent: null,
      } as unknown as OpenPush;
      const notification = { text: '{}', content_type: 'application/json', seq: 1, covers_to: 1 };
      const counted = { attempts: 1, random: 0 };
      void sender.send(push, { notification, counted, signal: stop.signal }).catch(() => undefined);
    }
  });
};

export function scene(stack: AsyncDisposableStack, ask: Scene['ask']): Scene {
  return { ask, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

export const ofAgents: Readonly<Record<string, OpenScene>> = {
  'webhooks of runs of a deployment': webhooks,
  'push notifications of a deployment': pushes,
  'crons of a deployment': crons,
};
