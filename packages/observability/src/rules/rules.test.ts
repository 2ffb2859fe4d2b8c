import { expect, it } from 'vitest';
import { uuidv7 } from '@roadstead/kit';
import { OTHER_WORKSPACE, WORKSPACE } from '../testing/observability-fixture.ts';
import { statusOf } from '@roadstead/testing';
import { logsOf, sendRun, settledLogs, started } from '../testing/rules-fixture.ts';

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
