import { type Loop, silentLog, systemClock } from '@roadstead/kit';
import { type Database, GroupCommit, migrate } from '@roadstead/postgres';
import { outboxDueMigration, outboxMigration, outboxOwnersMigration } from '@roadstead/outbound';
import { BLANK_ALERT } from '../../../packages/observability/src/alerts/alert-fields-rules.ts';
import { alertLoop } from '../../../packages/observability/src/alerts/alert-loop.ts';
import { datasetRemovalLoop } from '../../../packages/observability/src/datasets/dataset-removal-loop.ts';
import { startDigest } from '../../../packages/observability/src/digest/digest-loop.ts';
import { BodyRoom } from '../../../packages/observability/src/decoding/body-room.ts';
import { flushBound } from '../../../packages/observability/src/ingestion/ingest-queue.ts';
import { migrations } from '../../../packages/observability/src/migrations/index.ts';
import { playgroundCallLoop } from '../../../packages/observability/src/playground/playground-call-loop.ts';
import { priceApplicationLoop } from '../../../packages/observability/src/prices/price-application-loop.ts';
import { PriceBook } from '../../../packages/observability/src/prices/price-book.ts';
import { ruleLoop } from '../../../packages/observability/src/rules/rule-loop.ts';
import { orphanLoop } from '../../../packages/observability/src/writing/orphan-loop.ts';
import { sessionRemovalLoop } from '../../../packages/observability/src/sessions/session-removal-loop.ts';
import { openOutbox } from '../../../packages/outbound/src/outbox.ts';
import { freshDatabase } from '@roadstead/testing';
import { gatedDatabase, type Name, type OpenScene, partOf, type Workload, workspaces } from './gate.ts';
import { scene } from './of-agents.ts';

/** The database of traces: the owners are workspaces. */
const tracesDatabase = () => freshDatabase('traces', [{ schema: 'traces', migrations }]);

const messages: OpenScene = async (gate) => {
  await using stack = new AsyncDisposableStack();
  const { db } = stack.use(await freshDatabase());
  const own = [outboxMigration(1), outboxOwnersMigration(2), outboxDueMigration(3)];
  await migrate(db, { schema: 'own', migrations: own });
  const outbox = stack.use(
    openOutbox({
      db,
      schema: 'own',
      log: silentLog,
      resync_ms: 50,
      locate: async (destination) => ({ url: `http://host.test/${destination}`, secrets: [] }),
      fetch: async (request) => {
        await gate.pass(new URL(request.url).pathname.slice(1) as Name);
        return new Response();
      },
    }),
  );
  return scene(stack.move(), async (name, asked) => {
    const sent = Array.from({ length: asked.pieces }, (_, at) => ({
      workspace_id: workspaces[name],
      destination: name,
      body: '{}',
      url: `http://${partOf(at, asked)}.test/`,
    }));
    await db.transaction((tx) => outbox.addAll(tx, sent));
  });
};

const rules: OpenScene = async (gate) => {
  await using stack = new AsyncDisposableStack();
  const { db } = stack.use(await tracesDatabase());
  stack.use(
    ruleLoop({
      db,
      log: silentLog,
      actions: {
        matches: async (_tx, { run }) => {
          await gate.pass(run.workspace_id === workspaces.greedy ? 'greedy' : 'other');
          return false;
        },
        act: {} as never,
      },
    }).start(),
  );
  return scene(stack.move(), async (name, { pieces }) => {
    await db.run(
      `insert into traces.rules (workspace_id, id, display_name, is_enabled, sampling_rate, add_to_dataset_prefer_correction,
         extend_only, webhooks, applies_from, created_at, updated_at)
       values ($1, gen_random_uuid(), 'r', true, 1, false, false, '[]', now(), now(), now())`,
      [workspaces[name]],
    );
    await db.run(
      `insert into traces.rule_runs (workspace_id, rule_id, run_id, session_id, run_start_time, run_end_time)
       select workspace_id, id, gen_random_uuid(), gen_random_uuid(), now(), now()
       from traces.rules, generate_series(1, $2::int) where workspace_id = $1`,
      [workspaces[name], pieces],
    );
  });
};

const callsOfModels: OpenScene = async (gate) => {
  await using stack = new AsyncDisposableStack();
  const { db } = stack.use(await tracesDatabase());
  stack.use(
    playgroundCallLoop({ db, log: silentLog }, async ({ workspace_id, run_id }) => {
      await gate.pass(workspace_id === workspaces.greedy ? 'greedy' : 'other');
      await db.run(`update traces.playground_calls set state = 'done' where run_id = $1`, [run_id]);
    }).start(),
  );
  return scene(stack.move(), async (name, { pieces, parts }) => {
    await db.run(
      `with made as (insert into traces.sessions (workspace_id, id, name, start_time)
         select $1, gen_random_uuid(), gen_random_uuid(), now() from generate_series(1, $3::int)
         returning workspace_id, id),
       begun as (insert into traces.playground_experiments (workspace_id, id, dataset_id, model_provider_id, model, asked, status)
         select workspace_id, id, gen_random_uuid(), gen_random_uuid(), 'm', '{}', 'running' from made
         returning workspace_id, id)
       insert into traces.playground_calls (workspace_id, experiment_id, run_id, example_id, repetition, state)
       select workspace_id, id, gen_random_uuid(), gen_random_uuid(), 1, 'waiting'
       from begun, generate_series(1, greatest(1, $2::int / $3))`,
      [workspaces[name], pieces, parts],
    );
  });
};

const digests: OpenScene = async (gate) => {
  await using stack = new AsyncDisposableStack();
  const { db } = stack.use(await tracesDatabase());
  const digest = stack.use(
    startDigest({
      db: gatedDatabase(db, gate, /delete from traces\.changes/),
      log: silentLog,
      onDigested: async () => undefined,
    }),
  );
  return scene(stack.move(), async (name, { pieces }) => {
    await db.run(
      `insert into traces.changes (workspace_id, tier, week, run_ids)
       select $1, 'longlived', '2026-01-05', array(select gen_random_uuid() from generate_series(1, 500))
       from generate_series(1, $2::int)`,
      [workspaces[name], pieces],
    );
    digest.wake(workspaces[name]);
  });
};

interface Steps {
  readonly loopOf: (db: Database) => Loop;
  /** Which statement is a step. */
  readonly step: RegExp;
  /** Makes something to do. @returns the keys of it. */
  readonly insert: (db: Database, workspace_id: string, asked: Workload) => Promise<readonly string[]>;
}

const steps =
  ({ loopOf, step, insert }: Steps): OpenScene =>
  async (gate) => {
    await using stack = new AsyncDisposableStack();
    const { db } = stack.use(await tracesDatabase());
    const loop = stack.use(loopOf(gatedDatabase(db, gate, step)));
    return scene(stack.move(), async (name, asked) => {
      for (const key of await insert(db, workspaces[name], asked)) loop.wake(key);
    });
  };

const keysOf = async (db: Database, statement: string, values: readonly unknown[]) =>
  (await db.query<{ key: string }>(`${statement} returning workspace_id || '/' || id as key`, values)).map(
    ({ key }) => key,
  );

const transaction: OpenScene = async (gate) => {
  const commit = new GroupCommit({
    ...flushBound,
    flush: async (requests) => {
      const isOthers = requests.some(({ workspace_id }) => workspace_id === workspaces.other);
      await gate.pass(isOthers ? 'other' : 'greedy');
      return requests;
    },
  });
  const stack = new AsyncDisposableStack();
  stack.defer(() => commit.idle());
  return scene(stack, (name, { pieces }) => {
    const request = { workspace_id: workspaces[name], runs: [], feedback: [], attachments: [] };
    for (let at = 0; at < 300 * pieces; at += 1) void commit.add(request);
  });
};

export const BODY_BYTES = 2_000_000;
const bodies: OpenScene = async (gate) => {
  const room = new BodyRoom();
  return scene(new AsyncDisposableStack(), (name, { pieces }) => {
    for (let at = 0; at < pieces; at += 1) {
      const body = room.enter(workspaces[name]);
      void body
        .hold(BODY_BYTES)
        .then(() => gate.pass(name))
        .finally(() => body[Symbol.dispose]());
    }
  });
};

export const ofTraces: Readonly<Record<string, OpenScene>> = {
  'messages to webhooks of workspaces and rules, each': messages,
  'decisions of rules that are applied': rules,
  'calls of models that experiments of the playground make': callsOfModels,
  'alerts that are evaluated': steps({
    loopOf: (db) => {
      const searching = { db, digest: { caughtUp: async () => undefined } };
      const outbox = { addAll: async () => [], wake: () => undefined };
      const context = { db, clock: systemClock, searching, outbox, public_url: 'http://test' };
      return alertLoop(context, silentLog);
    },
    step: /select id from traces\.sessions/,
    insert: (db, workspace_id, { pieces }) =>
      keysOf(
        db,
        `insert into traces.alerts (workspace_id, id, definition, webhooks, is_enabled, state_since, due_at, created_at,
           updated_at)
         select $1, gen_random_uuid(), $3::text::jsonb, '[]', true, now(), now(), now(), now()
         from generate_series(1, $2::int)`,
        [workspace_id, pieces, JSON.stringify(BLANK_ALERT.definition)],
      ),
  }),
  'workspaces that are digested': digests,
  'steps of removing datasets': steps({
    loopOf: (db) => datasetRemovalLoop(db, silentLog),
    step: /delete from traces\.examples/,
    insert: (db, workspace_id, { pieces }) =>
      keysOf(
        db,
        `insert into traces.datasets (workspace_id, id, name, data_type, created_at, modified_at, deleted_at)
         select $1, gen_random_uuid(), 'd', 'kv', now(), now(), now() from generate_series(1, $2::int)`,
        [workspace_id, pieces],
      ),
  }),
  'steps of removing projects': steps({
    loopOf: (db) => sessionRemovalLoop(db, silentLog),
    step: /from traces\.runs r\s+join traces\.sessions s/,
    insert: (db, workspace_id, { pieces }) =>
      keysOf(
        db,
        `insert into traces.sessions (workspace_id, id, name, start_time, deleted_at)
         select $1, gen_random_uuid(), 's', now(), now() from generate_series(1, $2::int)`,
        [workspace_id, pieces],
      ),
  }),
  'steps of applying prices': steps({
    loopOf: (db) => priceApplicationLoop({ db, book: new PriceBook(db, systemClock), log: silentLog }),
    step: /from traces\.price_applications\s+where workspace_id = \$1 and finished_at is null for update/,
    insert: async (db, workspace_id) => {
      await db.run(
        `insert into traces.partitions (tier, week) select 'longlived', date '2020-01-06' + 7 * n
         from generate_series(1, 20) n on conflict do nothing`,
      );
      await db.run(
        'insert into traces.price_applications (workspace_id, id) values ($1, gen_random_uuid())',
        [workspace_id],
      );
      return [workspace_id];
    },
  }),
  'steps of making roots of orphans': steps({
    loopOf: (db) => orphanLoop(db, silentLog, { grace_ms: 0 }),
    step: /select workspace_id, run_id, parent_run_id, trace_id, tier, week from traces\.strays/,
    insert: async (db, workspace_id) => {
      await db.run(
        `insert into traces.strays (workspace_id, run_id, trace_id, tier, week)
         select $1, gen_random_uuid(), gen_random_uuid(), 'longlived', '2026-01-05' from generate_series(1, 1000)`,
        [workspace_id],
      );
      return [workspace_id];
    },
  }),
  'a transaction of traces': transaction,
  'bodies of traces and of examples in memory, each': bodies,
};
