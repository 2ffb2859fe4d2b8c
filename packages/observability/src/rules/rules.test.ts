import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { uuidv7 } from '@roadstead/kit';
import type { Database, Transaction } from '@roadstead/postgres';
import {
  type Fixture,
  type FixtureOptions,
  OTHER_WORKSPACE,
  startFixture,
  WORKSPACE,
} from '../testing/observability-fixture.ts';
import { statusOf } from '@roadstead/testing';

/** Rules act on runs that end after them, each once. */

type Client = ReturnType<Fixture['client']>;

async function started(options: FixtureOptions = {}) {
  const fixture = await startFixture(options);
  const client = fixture.client();
  const session = await client.createSession({ body: { name: 'watched' } });
  const dataset = await client.createDataset({ body: { name: 'collected', data_type: 'kv' } });
  const queue_id = uuidv7();
  await fixture.fresh.db.run(
    `insert into traces.annotation_queues (workspace_id, id, name, queue_type, enable_reservations, reviewer_access_mode,
       created_at, updated_at) values ($1, $2, 'to review', 'single', false, 'any', now(), now())`,
    [WORKSPACE, queue_id],
  );
  return {
    fixture,
    client,
    session_id: session.id,
    dataset_id: dataset.id,
    queue_id,
    [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose](),
  };
}
type RulesFixture = Awaited<ReturnType<typeof started>>;

const soon = () => new Date(Date.now() + 1000).toISOString();

/** A root run that has ended, or a child of another. */
async function sendRun(
  { fixture, session_id }: RulesFixture,
  more: { readonly id?: string; readonly trace_id?: string; readonly [name: string]: unknown } = {},
): Promise<string> {
  const id = more.id ?? uuidv7();
  const trace_id = more.trace_id ?? id;
  const body = JSON.stringify({
    id,
    trace_id,
    dotted_order: `20260105T000000000000Z${trace_id}${trace_id === id ? '' : `.20260105T000000000001Z${id}`}`,
    name: 'answer',
    run_type: 'chain',
    session_id,
    start_time: new Date().toISOString(),
    end_time: soon(),
    inputs: { question: 'why?' },
    outputs: { answer: 'because' },
    ...more,
  });
  expect((await fixture.send('/runs', { method: 'POST', body })).status).toBe(202);
  return id;
}

const logsOf = async (client: Client, rule_id: string) =>
  client.listRuleLogs({ params: { rule_id }, query: {} });
const settledLogs = async (client: Client, { rule_id, count }: { rule_id: string; count: number }) => {
  await expect
    .poll(
      async () =>
        (await logsOf(client, rule_id)).filter((log) => log.application_time !== null || log.error !== null)
          .length,
    )
    .toBe(count);
  return logsOf(client, rule_id);
};

/** Waits until the runs are digested, and drops the decisions on them. */
const nothingDecided = async ({ fixture }: RulesFixture) => {
  await expect
    .poll(async () =>
      fixture.fresh.db.one(`select (select count(*) from traces.changes) as undigested,
          (select count(*) from traces.rule_runs) as decided`),
    )
    .toEqual({ undigested: 0, decided: 0 });
};

/** Receives webhooks, and records them. */
async function receiver(answer: () => number = () => 204) {
  const came: { body: string; headers: Record<string, string> }[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      came.push({
        body: Buffer.concat(pieces).toString(),
        headers: request.headers as Record<string, string>,
      });
      response.writeHead(answer()).end();
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}/hook`,
    came,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

it('when a rule is made, then only its workspace reads, changes and deletes it', async () => {
  await using at = await started();
  const { client, session_id, dataset_id } = at;
  const body = { display_name: 'collect', session_id, sampling_rate: 0.5, add_to_dataset_id: dataset_id };
  const rule = await client.createRule({ body });
  expect(rule).toMatchObject({
    ...body,
    session_name: 'watched',
    add_to_dataset_name: 'collected',
    is_enabled: true,
    failures: 0,
  });
  const params = { rule_id: rule.id };
  expect(await client.readRule({ params })).toEqual(rule);
  expect(await client.listRules({ query: { name_contains: 'COLL', type: 'session' } })).toEqual([rule]);
  expect(await client.listRules({ query: { type: 'dataset' } })).toEqual([]);
  const changed = await client.patchRule({ params, body: { filter: 'eq(name, "x")', extend_only: true } });
  expect(changed).toMatchObject({ filter: 'eq(name, "x")', extend_only: true, sampling_rate: 0.5 });
  const other = at.fixture.client(OTHER_WORKSPACE);
  for (const call of [
    async () => other.readRule({ params }),
    async () => other.patchRule({ params, body: {} }),
    async () => other.deleteRule({ params }),
    async () => other.listRuleLogs({ params, query: {} }),
    async () => other.createRule({ body }),
    async () => client.createRule({ body: { ...body, add_to_dataset_id: session_id } }),
    async () => client.createRule({ body: { ...body, add_to_annotation_queue_id: uuidv7() } }),
  ])
    expect(await statusOf(call())).toBe(404);
  await expect(client.createRule({ body: { ...body, filter: 'eq(nam, "x")' } })).rejects.toThrow(/name/);
  await expect(client.createRule({ body: { ...body, evaluators: [{}] } })).rejects.toThrow(/no evaluators/);
  expect(await statusOf(client.createRule({ body: { ...body, sampling_rate: 1.5 } }))).toBe(422);
  await client.deleteRule({ params });
  expect(await statusOf(client.readRule({ params }))).toBe(404);
});

describe('a run that matches', () => {
  it('when a run matches, then it is collected, queued and reported once, however often sent', async () => {
    await using at = await started();
    await using hook = await receiver();
    const { client, session_id, dataset_id, queue_id } = at;
    const before = await sendRun(at, { end_time: new Date(Date.now() - 60_000).toISOString() });
    const rule = await client.createRule({
      body: {
        display_name: 'all',
        session_id,
        sampling_rate: 1,
        filter: 'and(eq(is_root, true), eq(metadata_key, "tier"), eq(metadata_value, "gold"))',
        add_to_dataset_id: dataset_id,
        add_to_annotation_queue_id: queue_id,
        extend_only: true,
        webhooks: [{ url: hook.url, headers: { Authorization: 'Bearer of-theirs' } }],
      },
    });
    const extra = { metadata: { tier: 'gold' } };
    const run_id = await sendRun(at, { extra });
    const another = await sendRun(at);
    for (const id of [run_id, before])
      await sendRun(at, { id, extra, ...(id === before ? { end_time: '2026-01-05T00:00:00Z' } : {}) });
    const [log, ...others] = await settledLogs(client, { rule_id: rule.id, count: 1 });
    expect(others).toEqual([]);
    expect(log).toMatchObject({ run_id, run_name: 'answer', run_session_id: session_id, error: null });
    expect(log?.add_to_dataset).toMatchObject({ outcome: 'success', payload: { dataset_id } });
    expect(log?.add_to_annotation_queue).toMatchObject({ outcome: 'success' });
    expect(log?.extend_retention).toMatchObject({ outcome: 'success' });
    const examples = await client.listExamples({ query: { dataset: dataset_id } });
    expect(examples).toMatchObject([
      { source_run_id: run_id, inputs: { question: 'why?' }, outputs: { answer: 'because' } },
    ]);
    expect(
      await at.fixture.fresh.db.query(
        'select run_id from traces.annotation_queue_items where queue_id = $1',
        [queue_id],
      ),
    ).toEqual([{ run_id }]);
    await expect.poll(() => hook.came.length).toBe(1);
    const [call] = hook.came;
    const secret = rule.webhooks[0]?.secret ?? '';
    const told = new Webhook(secret).verify(call?.body ?? '', call?.headers ?? {});
    expect(told).toMatchObject({ rule_id: rule.id, runs: [{ id: run_id, outputs: { answer: 'because' } }] });
    expect(call?.headers['authorization']).toBe('Bearer of-theirs');
    await expect.poll(async () => (await logsOf(client, rule.id))[0]?.webhooks?.outcome).toBe('success');
    const read = await client.readRule({ params: { rule_id: rule.id } });
    expect(JSON.stringify(read)).not.toMatch(/of-theirs|whsec_/);
    await expect
      .poll(async () => (await client.readRun({ params: { run_id }, query: {} })).trace_tier)
      .toBe('longlived');
    expect((await client.readRun({ params: { run_id: another }, query: {} })).trace_tier).toBe('shortlived');
  });

  it('when the process is killed before an action is noted, then a run is acted on once', async () => {
    let kills = 3;
    const between = (db: Database): Database =>
      new Proxy(db, {
        get(target, name) {
          const member: unknown = Reflect.get(target, name);
          if (name !== 'transaction') return typeof member === 'function' ? member.bind(target) : member;
          return async (work: (tx: Transaction) => Promise<unknown>) =>
            target.transaction(async (tx) => {
              let applies = false;
              const told = new Proxy(tx, {
                get(inner, method) {
                  const call = Reflect.get(inner, method) as (text: string, values?: unknown[]) => unknown;
                  if (typeof call !== 'function') return call;
                  return (text: string, values?: unknown[]) => {
                    applies ||= /rule_runs set state = 'done'/.test(text);
                    return call.call(inner, text, values);
                  };
                },
              });
              const result = await work(told);
              if (applies && kills-- > 0) throw Object.assign(new Error('killed'), { code: 'ECONNRESET' });
              return result;
            });
        },
      });
    await using at = await started({ between });
    await using hook = await receiver();
    const { client, session_id, dataset_id } = at;
    const rule = await client.createRule({
      body: {
        display_name: 'all',
        session_id,
        sampling_rate: 1,
        add_to_dataset_id: dataset_id,
        webhooks: [{ url: hook.url }],
      },
    });
    await sendRun(at);
    await settledLogs(client, { rule_id: rule.id, count: 1 });
    await expect.poll(() => hook.came.length).toBe(1);
    expect(kills).toBeLessThanOrEqual(0);
    expect(await client.listExamples({ query: { dataset: dataset_id } })).toHaveLength(1);
  });

  it('when its trace or its feedback makes a run match, then it is acted on once that is known', async () => {
    await using at = await started();
    const { client, session_id, dataset_id } = at;
    const made = async (more: object) =>
      client.createRule({
        body: { display_name: 'later', session_id, sampling_rate: 1, add_to_dataset_id: dataset_id, ...more },
      });
    const traced = await made({ filter: 'eq(name, "step")', trace_filter: 'has(tags, "blue")' });
    const judged = await made({ filter: 'and(eq(feedback_key, "thumb"), eq(feedback_score, 0))' });
    const root = uuidv7();
    const step = await sendRun(at, { name: 'step', trace_id: root });
    await sendRun(at, { id: root, tags: ['blue'] });
    const [log] = await settledLogs(client, { rule_id: traced.id, count: 1 });
    expect(log?.run_id).toBe(step);
    await client.createFeedback({ body: { run_id: root, trace_id: root, key: 'thumb', score: 0 } });
    const [by_feedback] = await settledLogs(client, { rule_id: judged.id, count: 1 });
    expect(by_feedback?.run_id).toBe(root);
  });

  it('when the root of a trace gets feedback that matches, then the run is acted on', async () => {
    await using at = await started();
    const { client, session_id, dataset_id } = at;
    const filters = {
      filter: 'eq(name, "step")',
      trace_filter: 'and(eq(feedback_key, "thumb"), eq(feedback_score, 0))',
    };
    const body = { display_name: 'of a trace', session_id, sampling_rate: 1, add_to_dataset_id: dataset_id };
    const { id: rule_id } = await client.createRule({ body: { ...body, ...filters } });
    const root = uuidv7();
    const step = await sendRun(at, { name: 'step', trace_id: root });
    await sendRun(at, { id: root });
    await nothingDecided(at);
    await client.createFeedback({ body: { run_id: root, trace_id: root, key: 'thumb', score: 0 } });
    const [log] = await settledLogs(client, { rule_id, count: 1 });
    expect(log?.run_id).toBe(step);
  });

  it('when feedback is changed so that a run matches, then the run is acted on', async () => {
    await using at = await started();
    const { client, session_id, dataset_id } = at;
    const filter = 'and(eq(feedback_key, "thumb"), eq(feedback_score, 0))';
    const body = {
      display_name: 'changed',
      session_id,
      sampling_rate: 1,
      add_to_dataset_id: dataset_id,
      filter,
    };
    const { id: rule_id } = await client.createRule({ body });
    const run_id = await sendRun(at, {});
    const said = await client.createFeedback({ body: { run_id, trace_id: run_id, key: 'thumb', score: 1 } });
    await nothingDecided(at);
    await client.patchFeedback({ params: { feedback_id: said.id }, body: { score: 0 } });
    const [log] = await settledLogs(client, { rule_id, count: 1 });
    expect(log?.run_id).toBe(run_id);
  });
});

it('when a workspace has a hundred rules, then another one is refused', async () => {
  await using all = await started();
  const { fixture, client, session_id, queue_id } = all;
  await fixture.fresh.db.run(
    `insert into traces.rules (workspace_id, id, display_name, is_enabled, session_id, sampling_rate,
       add_to_dataset_prefer_correction, extend_only, webhooks, applies_from, created_at, updated_at)
     select $1, gen_random_uuid(), 'one', false, $2, 1, false, true, '[]', now(), now(), now() from generate_series(1, 99)`,
    [WORKSPACE, session_id],
  );
  const body = { display_name: 'more', session_id, sampling_rate: 1, add_to_annotation_queue_id: queue_id };
  expect(await statusOf(client.createRule({ body }))).toBe(200);
  expect(await statusOf(client.createRule({ body }))).toBe(409);
});

it('when a rule fails ten times in a row, then it is disabled with its reason until enabled', async () => {
  await using at = await started();
  const { client, session_id, dataset_id } = at;
  const rule = await client.createRule({
    body: { display_name: 'doomed', session_id, sampling_rate: 1, add_to_dataset_id: dataset_id },
  });
  const params = { rule_id: rule.id };
  await client.deleteDataset({ params: { dataset_id } });
  for (let index = 0; index < 10; index += 1) await sendRun(at);
  await expect.poll(async () => (await client.readRule({ params })).is_enabled).toBe(false);
  expect(await client.readRule({ params })).toMatchObject({
    failures: 10,
    disabled_reason: expect.stringMatching(
      /^It failed 10 times in a row, last with: There is no such dataset/,
    ) as string,
  });
  const enabled = await client.patchRule({
    params,
    body: { is_enabled: true, add_to_dataset_id: null, extend_only: true },
  });
  expect(enabled).toMatchObject({ is_enabled: true, failures: 0, disabled_reason: null });
  await sendRun(at);
  await settledLogs(client, { rule_id: rule.id, count: 11 });
  expect((await client.readRule({ params })).failures).toBe(0);
});

it('when decisions are older than any run, then they are forgotten, waiting ones too', async () => {
  await using at = await started();
  const { client, session_id, dataset_id } = at;
  const rule = { session_id, sampling_rate: 1, add_to_dataset_id: dataset_id };
  const { id } = await client.createRule({ body: { ...rule, display_name: 'collect' } });
  await sendRun(at);
  await settledLogs(client, { rule_id: id, count: 1 });
  await client.patchRule({ params: { rule_id: id }, body: { is_enabled: false } });
  const { db } = at.fixture.fresh;
  await db.run(
    `update traces.rule_runs set state = 'waiting', due_at = now() - interval '414 days',
       decided_at = now() - interval '415 days'`,
  );
  await expect.poll(() => logsOf(client, id)).toEqual([]);
});
