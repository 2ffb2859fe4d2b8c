import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { uuidv7 } from '@roadstead/kit';
import type { Database, Transaction } from '@roadstead/postgres';
import { logsOf, nothingDecided, receiver, sendRun, settledLogs, started } from '../testing/rules-fixture.ts';

/** Rules act on runs that end after them, each once. */

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
