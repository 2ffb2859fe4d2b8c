import { useFixture } from '@roadstead/testing';
import { beforeEach, expect, test } from 'vitest';
import {
  assistantEndpoints,
  cronEndpoints,
  runEndpoints,
  threadEndpoints,
} from '@roadstead/contracts/agent-server';
import type { GraphDescription } from '@roadstead/contracts/host';
import { serve } from '@roadstead/http';
import { Problem, silentLog } from '@roadstead/kit';
import { callerOf } from '../access/access.ts';
import { findSeenAssistant } from '../access/assistant-access.ts';
import type { AccessRules, Attempt, MetadataFilters } from '../access/caller.ts';
import { Assistants } from '../assistants/assistants.ts';
import { findCron } from '../crons/cron-store.ts';
import type { Run } from '../runs/run.ts';
import type { Runs } from '../runs/runs.ts';
import { engineDatabase } from '../testing/engine-database.ts';
import type { ThreadStates } from '../threads/thread-states.ts';
import { Threads } from '../threads/threads.ts';
import { createAssistantHandlers } from './assistants/assistants-routes.ts';
import { createCronHandlers } from './crons/crons-routes.ts';
import { cronRunOf } from './crons/cron-run.ts';
import { createRunHandlers } from './runs/runs-routes.ts';
import { createThreadHandlers } from './threads/threads-routes.ts';

/** What an `auth` of a deployment says of metadata, and what becomes of it: by handlers of every kind, on a real database. */

interface Rule {
  readonly marks?: object;
  readonly filters?: MetadataFilters;
}
/** Rules by event or by resource; without a rule everything is allowed. */
let rules: Readonly<Record<string, Rule>>;
const mine: Rule = { marks: { owner: 'me' }, filters: { owner: 'me' } };
const everywhere = (rule: Rule) => ({ threads: rule, assistants: rule, crons: rule });
beforeEach(() => {
  rules = everywhere(mine);
});

const access: AccessRules = {
  authorize: async (_caller, { resource, action, value }: Attempt) => {
    const { marks, filters } = rules[`${resource}:${action}`] ?? rules[resource] ?? {};
    const metadata = { ...(value['metadata'] as object | undefined), ...marks };
    return { value: { ...value, metadata }, filters: filters ?? null };
  },
};

/** Runs that were cancelled, and how. */
const undone: [run_id: string, action: string][] = [];
type Answer = Readonly<Record<string, unknown>> & { readonly metadata?: Readonly<Record<string, unknown>> };

const own = useFixture(engineDatabase);
const epoch = useFixture(() => own().takeEpoch());
const create = async ({ run_id, thread, assistant_id, kwargs, metadata }: Parameters<Runs['create']>[0]) => {
  if (metadata['fits'] === false) throw new Problem('unavailable', 'There is no room.');
  const { thread_id, create: made } = thread;
  if (made !== undefined)
    await own().db.run('insert into threads (thread_id, metadata) values ($1, $2)', [
      thread_id,
      made.metadata,
    ]);
  return { run_id, thread_id, assistant_id, kwargs, metadata } as Run;
};
const cancel: Runs['cancel'] = async (run_id, { action }) => undone.push([run_id, action]) > 0;
const runs = { create, cancel } as unknown as Runs;
const graphs = () => [{ graph_id: 'agent', description: null } as GraphDescription];
const assistants = useFixture(() => new Assistants({ db: own().db, searches: own().db, runs, graphs }));
const served = useFixture(async () => {
  await assistants().serve(graphs());
  const states = { refresh: async () => false } as unknown as ThreadStates;
  const threads = new Threads({
    db: own().db,
    epoch: epoch(),
    searches: own().db,
    runs,
    states,
    onExpiry: () => undefined,
  });
  const handlers = {
    ...createThreadHandlers({ threads, states, access }),
    ...createAssistantHandlers({ assistants: assistants(), threads, access, ask: runs.ask }),
    ...createRunHandlers({
      db: own().db,
      runs,
      access,
      assistants: assistants(),
      threads,
      checkWebhook: () => undefined,
      http: () => undefined,
      tracing_project: () => null,
    }),
    ...createCronHandlers({
      db: own().db,
      epoch: epoch(),
      loop: { expect: () => undefined },
      access,
      callerOf,
      findAssistant: (name, caller) =>
        findSeenAssistant({ assistants: assistants(), access }, { caller, name }),
      findThread: async () => undefined,
      checkWebhook: () => undefined,
    }),
  };
  const endpoints = { ...threadEndpoints, ...assistantEndpoints, ...runEndpoints, ...cronEndpoints };
  const verify = () => ({ workspace_id: 'w', actor: 'key:1', scopes: ['agents:invoke' as const] });
  return serve(endpoints, handlers, { service: 'test', verify, log: silentLog });
});

async function call(
  path: string,
  body?: object,
  method = body === undefined ? 'GET' : 'POST',
): Promise<{ status: number; body: Answer }> {
  const headers = { 'content-type': 'application/json' };
  const sent = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const answer = await served().fetch(new Request(`http://agent.test${path}`, sent), { assertion: 'a' });
  return { status: answer.status, body: (await answer.json()) as Answer };
}

const count = async (table: string) =>
  (await own().db.one<{ n: number }>(`select count(*) as n from ${table}`)).n;
const made = async (path: string, body: object) => (await call(path, body)).body;
const yearly = { schedule: '0 0 1 1 *', assistant_id: 'agent' };

test.each([
  ['a thread', '/threads', {}, 'threads'],
  ['a thread under a name', '/threads', { thread_id: crypto.randomUUID() }, 'threads'],
  [
    'a thread by a run',
    `/threads/${crypto.randomUUID()}/runs`,
    { assistant_id: 'agent', if_not_exists: 'create' },
    'threads',
  ],
  ['a thread by a run that keeps it', '/runs', { assistant_id: 'agent', on_completion: 'keep' }, 'threads'],
  ['an assistant', '/assistants', { graph_id: 'agent' }, 'assistants'],
  ['a cron', '/runs/crons', yearly, 'crons'],
])(
  'when %s would be hidden from its maker, then it is refused, and nothing is left',
  async (_what, path, body, table) => {
    const before = await count(table);
    rules = everywhere({ filters: { owner: 'me' } });
    expect((await call(path, body)).status).toBe(403);
    expect(await count(table)).toBe(before);
    rules = everywhere({ marks: { owner: 'you' }, filters: { owner: 'me' } });
    expect((await call(path, body)).status).toBe(403);
    expect(await count(table)).toBe(before);
  },
);

test('when a thread goes with its run, then it needs no mark', async () => {
  rules = everywhere({ filters: { owner: 'me' } });
  expect((await call('/runs', { assistant_id: 'agent' })).status).toBe(200);
});

test('when something is there already, then that is told apart from what could not be made', async () => {
  const { thread_id } = await made('/threads', {});
  const { assistant_id } = await made('/assistants', { graph_id: 'agent' });
  rules = everywhere({ filters: { owner: 'me' } });
  for (const [path, body] of [
    ['/threads', { thread_id }],
    ['/assistants', { assistant_id, graph_id: 'agent' }],
  ] as const) {
    expect((await call(path, body)).status).toBe(409);
    expect((await call(path, { ...body, if_exists: 'do_nothing' })).status).toBe(200);
  }
});

test.each<[string, string, object, string]>([
  ['thread', '/threads', {}, 'thread_id'],
  ['assistant', '/assistants', { graph_id: 'agent' }, 'assistant_id'],
  ['cron', '/runs/crons', yearly, 'cron_id'],
])(
  'when a caller hands its %s to somebody else or to nobody, then that is refused',
  async (_what, path, body, id) => {
    const one = await made(path, body);
    const at = `${path}/${String(one[id])}`;
    // Updates carry no mark of their own.
    rules = everywhere({ filters: { owner: 'me' } });
    for (const owner of ['you', null, ['me'], { $eq: 'me' }])
      expect((await call(at, { metadata: { owner } }, 'PATCH')).status).toBe(403);
    expect((await call(at, { metadata: { topic: 'tides' } }, 'PATCH')).body.metadata).toMatchObject({
      owner: 'me',
      topic: 'tides',
    });
    rules = everywhere({ filters: { owner: 'you' } });
    expect((await call(at, { metadata: { owner: 'me' } }, 'PATCH')).status).toBe(404);
  },
);

test('when somebody shares a thread, then they keep it', async () => {
  const { thread_id } = await made('/threads', { metadata: { members: ['me'] } });
  rules = everywhere({ filters: { members: { $contains: 'me' } } });
  const patch = async (members: string[]) =>
    (await call(`/threads/${String(thread_id)}`, { metadata: { members } }, 'PATCH')).status;
  expect([await patch(['me', 'you']), await patch(['you'])]).toEqual([200, 403]);
});

test('when a former version of an assistant has another owner, then it is not handed back', async () => {
  const { assistant_id } = await made('/assistants', { graph_id: 'agent' });
  rules = everywhere({ marks: { owner: 'you' } });
  expect((await call(`/assistants/${String(assistant_id)}`, { name: 'Yours' }, 'PATCH')).status).toBe(200);
  rules = everywhere({ filters: { owner: 'you' } });
  expect((await call(`/assistants/${String(assistant_id)}/latest`, { version: 1 })).status).toBe(403);
  expect((await assistants().find(String(assistant_id)))?.version).toBe(2);
});

test('when its graph decides who sees a thread, then it is not taken to another graph', async () => {
  rules = {};
  const { thread_id } = await made('/threads', { metadata: { graph_id: 'other' } });
  rules = everywhere({ filters: { graph_id: 'other' } });
  expect((await call(`/threads/${String(thread_id)}/runs`, { assistant_id: 'agent' })).status).toBe(403);
});

test.each([
  ['/runs', {}],
  ['/runs/wait', {}],
  [`/threads/${crypto.randomUUID()}/runs`, { if_not_exists: 'create' }],
  ['/runs/crons', { schedule: '0 0 1 1 *' }],
])('when the caller does not see an assistant, then %s begins nothing of it', async (path, more) => {
  const { assistant_id } = await made('/assistants', { graph_id: 'agent' });
  rules = { ...rules, assistants: { filters: { owner: 'you' } } };
  expect((await call(path, { assistant_id, ...more })).status).toBe(404);
  const before = await count('threads');
  expect((await call('/runs/batch', [{ assistant_id: 'agent' }, { assistant_id }])).status).toBe(404);
  expect(await count('threads')).toBe(before);
  // The graph's own is there for all, as over A2A.
  expect((await call('/runs', { assistant_id: 'agent' })).status).toBe(200);
});

test('when one run of a batch finds no room, then none of it goes on', async () => {
  rules = {};
  const batch = [true, false, true].map((fits) => ({ assistant_id: 'agent', metadata: { fits } }));
  expect((await call('/runs/batch', batch)).status).toBe(503);
  expect(undone.map(([, action]) => action)).toEqual(['rollback', 'rollback']);
});

test('when a cron makes threads and runs, then they carry what threads:create_run marks', async () => {
  rules = {
    crons: { marks: { owner: 'me' }, filters: { owner: 'me' } },
    'threads:create_run': { marks: { tenant: 't1', topic: 'set' }, filters: { tenant: 't1' } },
  };
  const cron = await made('/runs/crons', { ...yearly, metadata: { topic: 'x' }, on_run_completed: 'keep' });
  expect(cron.metadata).toEqual({ owner: 'me', topic: 'x' });
  const patch = { metadata: { tenant: 't2', topic: 'y', more: 1 } };
  expect((await call(`/runs/crons/${String(cron['cron_id'])}`, patch, 'PATCH')).status).toBe(200);
  const known = await findCron(own().db, String(cron['cron_id']));
  if (known === undefined) throw new Error('gone');
  const run = await cronRunOf(
    { db: own().db, assistants: assistants() },
    { cron: known, run_id: crypto.randomUUID() },
  );
  const carried = { owner: 'me', more: 1, tenant: 't1', topic: 'set' };
  expect(run.thread.create?.metadata).toMatchObject({ ...carried, graph_id: 'agent' });
  expect(run.metadata).toMatchObject(carried);
});
