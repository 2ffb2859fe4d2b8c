import { randomUUID } from 'node:crypto';
import { useFixturePerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { uuidv7 } from '@roadstead/kit';
import { multipartInit, OTHER_WORKSPACE, startFixture, WORKSPACE } from '../testing/observability-fixture.ts';

const fixture = useFixturePerTest(startFixture);

/**
 * Fills a workspace with one of everything: a trace with an attachment and feedback, a dataset, a prompt, a queue, a
 * rule, a share, settings.
 */
async function fill(workspace_id: string): Promise<void> {
  const make = async (path: string, body: object, method = 'POST') => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fixture().send(path, { workspace_id, method, headers, body: JSON.stringify(body) });
    expect([path, answer.status, await answer.clone().text()]).toEqual([
      path,
      expect.any(Number),
      expect.anything(),
    ]);
    expect([path, answer.ok]).toEqual([path, true]);
    return (await answer.json().catch(() => ({}))) as Record<string, unknown>;
  };
  const run = uuidv7();
  const sent = {
    id: run,
    trace_id: run,
    dotted_order: `20260101T000000000000Z${run}`,
    session_name: 'project',
    name: 'run',
    run_type: 'chain',
    start_time: new Date().toISOString(),
    inputs: { text: 'words' },
    extra: { metadata: { thread_id: 'thread' } },
  };
  const parts = [
    [`post.${run}`, JSON.stringify(sent)],
    [`attachment.${run}.own`, `bytes of ${workspace_id}`, 'Content-Type: text/plain'],
    [`attachment.${run}.shared`, 'the same bytes', 'Content-Type: text/plain'],
  ] as const;
  const taken = await fixture().send('/runs/multipart', { ...multipartInit(parts), workspace_id });
  expect(taken.status).toBe(202);
  await make('/feedback', { run_id: run, key: 'good', score: 1 });
  const dataset_id = randomUUID();
  await make('/datasets', { id: dataset_id, name: 'dataset' });
  await make('/examples', { dataset_id, inputs: { text: 'words' } });
  await make('/repos', { repo_handle: 'prompt', is_public: false });
  await make('/commits/-/prompt', {
    manifest: { lc: 1, type: 'constructor', id: ['langchain', 'PromptTemplate'], kwargs: {} },
  });
  const queue_id = randomUUID();
  await make('/annotation-queues', { id: queue_id, name: 'queue' });
  await make(`/annotation-queues/${queue_id}/runs`, [run]);
  await make(`/runs/${run}/share`, {}, 'PUT');
  await make('/usage-limits', { limit_type: 'monthly_traces', limit_value: 1000 }, 'PUT');
  await make('/v1/agents', { id: 'agent' });
  const provider = await make('/v2/model-providers', {
    name: 'models',
    kind: 'openai',
    base_url: 'http://127.0.0.1:1/v1',
    api_key: 'sk-example',
  });
  await make('/v2/playground/experiments', {
    dataset_id,
    model_provider_id: provider['id'],
    model: 'model',
    messages: [{ role: 'user', content: '{{text}}' }],
  });
  // Waits for the digest, so that search rows and rollups exist.
  await make('/runs/query', { session: [], trace: run, filter: 'has(tags, "none")' }).catch(() => undefined);
}

/** The rows of each table that has a workspace. */
async function rowsOf(workspace_id: string): Promise<Record<string, number>> {
  const { db } = fixture().fresh;
  const tables = await db.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       join pg_attribute a on a.attrelid = c.oid and a.attname = 'workspace_id'
     where n.nspname = 'traces' and c.relkind in ('r', 'p') and not c.relispartition`,
  );
  expect(tables.length).toBeGreaterThan(25);
  const found: Record<string, number> = {};
  for (const { name } of tables) {
    const { count } = await db.one<{ count: number }>(
      `select count(*) as count from traces.${name} where workspace_id = $1`,
      [workspace_id],
    );
    if (count > 0) found[name] = count;
  }
  return found;
}

/** Tables without a workspace, and the fate of their rows. */
const without: Readonly<Record<string, string>> = {
  blobs: 'released by the attachments that name them',
  released_blobs: 'taken by the loop of blobs',
  migrations: 'of nobody',
  partitions: 'of nobody',
  periodic_work: 'of nobody',
  prompt_commits: 'go with the prompt',
  prompt_likes: 'go with the prompt',
  prompt_tag_moves: 'go with the prompt',
  prompt_tags: 'go with the prompt',
};

const ask = (path: string, { method = 'GET', actor = 'service:identity' } = {}) =>
  fixture().send(path, { workspace_id: WORKSPACE, actor, method });

test('when a workspace is erased, then no row or blob of it is left, and another keeps all', async () => {
  for (const workspace_id of [WORKSPACE, OTHER_WORKSPACE]) await fill(workspace_id);
  const held = (await (await ask('/v2/observability/holdings')).json()) as { items: { kind: string }[] };
  expect(held.items).toMatchObject([
    { kind: 'tracing projects', must_go: false },
    { kind: 'datasets', count: 1, names: ['dataset'] },
    { kind: 'prompts', count: 1, names: ['prompt'] },
  ]);
  expect(Object.keys(await rowsOf(WORKSPACE)).length).toBeGreaterThan(15);
  const kept = await rowsOf(OTHER_WORKSPACE);

  await expect
    .poll(async () => (await ask('/v2/observability/erasure', { method: 'POST' })).json())
    .toEqual({ is_done: true, left: [] });
  expect(await rowsOf(WORKSPACE)).toEqual({});
  expect(await rowsOf(OTHER_WORKSPACE)).toEqual(kept);
  const stored: string[] = [];
  for await (const { digest } of fixture().blobs.list()) stored.push(digest);
  // The bytes that both workspaces have, and the other’s own.
  expect(stored).toHaveLength(2);
  const rows = await fixture().fresh.db.query<{ count: number }>(
    'select count(*) as count from traces.prompt_commits',
  );
  expect(rows).toEqual([{ count: 1 }]);
  expect(await (await ask('/v2/observability/holdings')).json()).toEqual({ items: [] });
});

test('when a table has no workspace, then it is one of those whose rows go otherwise', async () => {
  const tables = await fixture().fresh.db.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'traces' and c.relkind in ('r', 'p') and not c.relispartition and not exists (
       select from pg_attribute a where a.attrelid = c.oid and a.attname = 'workspace_id') order by 1`,
  );
  expect(tables.map(({ name }) => name)).toEqual(Object.keys(without).sort());
});

test('when anybody but identity asks for an erasure, then it is refused', async () => {
  await fill(WORKSPACE);
  const erase = (actor: string) => ask('/v2/observability/erasure', { method: 'POST', actor });
  expect((await erase('service:control-plane')).status).toBe(403);
  expect((await erase('key:test')).status).toBe(401);
  expect(Object.keys(await rowsOf(WORKSPACE)).length).toBeGreaterThan(15);
});
