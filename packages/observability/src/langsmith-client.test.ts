import { setTimeout as sleep } from 'node:timers/promises';
import { useFixture } from '@roadstead/testing';
import { Client, type Run, RunTree } from 'langsmith';
import { traceable } from 'langsmith/traceable';
import { describe, expect, it } from 'vitest';
import { OTHER_WORKSPACE, startFixture, WORKSPACE } from './testing/observability-fixture.ts';

/**
 * The real SDK over real HTTP: everything that it sends must be accepted, and everything that it parses must be
 * present.
 */

const clientOf = (workspace_id = WORKSPACE, path = '/api') =>
  new Client({ apiUrl: http().url + path, apiKey: `key-${workspace_id}`, timeout_ms: 20_000 });

const fixture = useFixture(startFixture);
const http = useFixture(() => fixture().listen());

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** A root with a child model call; posted, and patched when it ends. */
async function tracedTree(client: Client, project_name: string): Promise<{ root: RunTree; child: RunTree }> {
  const root = new RunTree({
    name: 'agent',
    run_type: 'chain',
    inputs: { messages: [{ role: 'user', content: 'hello' }] },
    project_name,
    client,
    tags: ['a', 'b'],
    extra: { metadata: { thread_id: 'conversation-1' } },
  });
  await root.postRun();
  const child = root.createChild({ name: 'model', run_type: 'llm', inputs: { prompt: 'hello' } });
  await child.postRun();
  await child.end({ text: 'hi', usage_metadata: { input_tokens: 3, output_tokens: 4, total_tokens: 7 } });
  await child.patchRun();
  await root.end({ messages: [{ role: 'assistant', content: 'hi' }] });
  await root.patchRun();
  await client.awaitPendingTraceBatches();
  return { root, child };
}

describe('the LangSmith SDK', () => {
  it('when the SDK traces a tree, then it reads the tree back', async () => {
    const client = clientOf();
    const { root, child } = await tracedTree(client, 'sdk-tree');
    const read = await client.readRun(root.id, { loadChildRuns: true });
    expect(read).toMatchObject({
      id: root.id,
      name: 'agent',
      run_type: 'chain',
      status: 'success',
      error: null,
      inputs: { messages: [{ role: 'user', content: 'hello' }] },
      outputs: { messages: [{ role: 'assistant', content: 'hi' }] },
      tags: ['a', 'b'],
      trace_id: root.id,
      dotted_order: root.dotted_order,
      parent_run_id: null,
      thread_id: 'conversation-1',
      total_tokens: 7,
      prompt_tokens: 3,
      completion_tokens: 4,
    });
    expect(read.extra?.['metadata']).toMatchObject({ thread_id: 'conversation-1' });
    expect(read.child_runs?.map((run: Run) => run.id)).toEqual([child.id]);
    const model = await client.readRun(child.id);
    expect(model).toMatchObject({
      parent_run_id: root.id,
      trace_id: root.id,
      parent_run_ids: [root.id],
      dotted_order: child.dotted_order,
      thread_id: 'conversation-1',
      total_tokens: 7,
    });
    // The SDK sends microseconds that order siblings; they come back.
    expect(`${model.start_time}`).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  });

  it.each(['', '/api', '/api/v1'])('when the SDK asks below "%s", then it is served', async (path) => {
    const client = clientOf(WORKSPACE, path);
    const { root } = await tracedTree(client, 'sdk-mounts');
    expect((await client.readRun(root.id)).name).toBe('agent');
  });

  it('when the SDK lists runs by project, trace, root, error or type, then the newest come first', async () => {
    const client = clientOf();
    const { root, child } = await tracedTree(client, 'sdk-list');
    const broken = new RunTree({
      name: 'broken',
      run_type: 'tool',
      inputs: {},
      project_name: 'sdk-list',
      client,
    });
    await broken.postRun();
    await broken.end(undefined, 'Error: no such tool');
    await broken.patchRun();
    await client.awaitPendingTraceBatches();
    const ids = async (props: Parameters<Client['listRuns']>[0]) =>
      (await all(client.listRuns(props))).map((run) => run.id);
    const project = { projectName: 'sdk-list' };
    expect(await ids(project)).toEqual([broken.id, child.id, root.id]);
    expect(await ids({ ...project, order: 'asc' })).toEqual([root.id, child.id, broken.id]);
    expect(await ids({ traceId: root.id })).toEqual([child.id, root.id]);
    expect(await ids({ ...project, isRoot: true })).toEqual([broken.id, root.id]);
    expect(await ids({ ...project, error: true })).toEqual([broken.id]);
    expect(await ids({ ...project, error: false })).toEqual([child.id, root.id]);
    expect(await ids({ ...project, runType: 'llm' })).toEqual([child.id]);
    expect(await ids({ parentRunId: root.id })).toEqual([child.id]);
    expect(await ids({ id: [root.id, broken.id] })).toEqual([broken.id, root.id]);
    expect(await ids({ ...project, limit: 1 })).toEqual([broken.id]);
    const [failed] = await all(client.listRuns({ ...project, error: true }));
    expect(failed).toMatchObject({ status: 'error', error: 'Error: no such tool' });
  });

  it('when the SDK pages past a hundred runs, then none is lost or repeated', async () => {
    const client = clientOf();
    const roots: RunTree[] = [];
    for (let index = 0; index < 230; index += 1) {
      const root = new RunTree({
        name: `run ${index}`,
        inputs: { index },
        project_name: 'sdk-pages',
        client,
      });
      await root.postRun();
      roots.push(root);
    }
    await client.awaitPendingTraceBatches();
    const listed = await all(client.listRuns({ projectName: 'sdk-pages' }));
    expect(new Set(listed.map((run) => run.id))).toEqual(new Set(roots.map((run) => run.id)));
    expect(listed).toHaveLength(230);
    expect(listed.every((run) => run.status === 'pending')).toBe(true);
  });

  it('when the SDK traces functions with a thread, then v2 lists its turns, oldest first', async () => {
    const client = clientOf();
    const answer = traceable(async (question: string) => `${question}!`, {
      name: 'answer',
      client,
      project_name: 'sdk-thread',
      tracingEnabled: true,
      metadata: { thread_id: 'thread "7"/ü' },
    });
    const questions = ['one', 'two', 'three'];
    for (const question of questions) {
      await answer(question);
      await sleep(2);
    }
    await client.awaitPendingTraceBatches();
    const { id: project_id } = await client.readProject({ projectName: 'sdk-thread' });
    const selects = ['INPUTS', 'OUTPUTS', 'NAME', 'LATENCY', 'THREAD_ID', 'TOTAL_COST', 'OP'] as const;
    const turns = await all(
      client.threads.listTraces('thread "7"/ü', { project_id, selects: [...selects], page_size: 2 }),
    );
    expect(turns.map((turn) => turn.inputs)).toEqual(questions.map((input) => ({ input })));
    expect(turns[0]).toMatchObject({
      name: 'answer',
      outputs: { outputs: 'one!' },
      thread_id: 'thread "7"/ü',
    });
    expect(turns[0]?.latency).toBeGreaterThanOrEqual(0);
    const bare = await all(client.threads.listTraces('thread "7"/ü', { project_id }));
    expect(bare.map((turn) => Object.keys(turn))).toEqual(questions.map(() => ['trace_id']));
    expect(await all(client.threads.listTraces('unknown', { project_id }))).toEqual([]);
  });

  it('when the SDK works with projects, then it creates, reads, changes, lists and deletes them', async () => {
    const client = clientOf();
    const made = await client.createProject({
      projectName: 'sdk-project',
      description: 'first',
      metadata: { team: 'a' },
    });
    expect(made).toMatchObject({
      name: 'sdk-project',
      tenant_id: WORKSPACE,
      extra: { metadata: { team: 'a' } },
    });
    await expect(client.createProject({ projectName: 'sdk-project' })).rejects.toMatchObject({
      name: 'LangSmithConflictError',
    });
    expect((await client.createProject({ projectName: 'sdk-project', upsert: true })).id).toBe(made.id);
    expect(await client.hasProject({ projectName: 'sdk-project' })).toBe(true);
    expect(await client.hasProject({ projectName: 'sdk-nothing' })).toBe(false);
    await client.updateProject(made.id, { description: 'second' });
    expect(await client.readProject({ projectId: made.id })).toMatchObject({
      name: 'sdk-project',
      description: 'second',
    });
    expect((await all(client.listProjects({ metadata: { team: 'a' } }))).map((one) => one.id)).toEqual([
      made.id,
    ]);
    expect((await all(client.listProjects({ nameContains: 'K-PROJ' }))).map((one) => one.id)).toEqual([
      made.id,
    ]);
    const { root } = await tracedTree(client, 'sdk-project');
    await client.deleteProject({ projectName: 'sdk-project' });
    expect(await client.hasProject({ projectName: 'sdk-project' })).toBe(false);
    await expect(client.readRun(root.id)).rejects.toMatchObject({ name: 'LangSmithNotFoundError' });
  });

  it('when the SDK asks for statistics of a project, then they are over its root runs', async () => {
    const client = clientOf();
    await tracedTree(client, 'sdk-stats');
    const { root } = await tracedTree(client, 'sdk-stats');
    const project = await client.readProject({ projectName: 'sdk-stats', includeStats: true });
    expect(project).toMatchObject({ run_count: 2, error_rate: 0, total_tokens: 14, prompt_tokens: 6 });
    expect(project.latency_p50).toBeGreaterThanOrEqual(0);
    expect(`${project.last_run_start_time}Z`).toBe((await client.readRun(root.id)).start_time);
  });

  it('when the SDK builds a link, then it learns the workspace from a project', async () => {
    const client = clientOf('33333333-3333-4333-8333-333333333333');
    await client.createProject({ projectName: 'linked' });
    const url = await client.getProjectUrl({ projectName: 'linked' });
    expect(url).toContain('/o/33333333-3333-4333-8333-333333333333/projects/p/');
    const { root } = await tracedTree(client, 'linked');
    expect(await client.getRunUrl({ runId: root.id })).toContain(root.id);
  });

  it('when the SDK asks for another workspace’s runs and projects, then it sees none', async () => {
    const { root } = await tracedTree(clientOf(), 'sdk-private');
    const stranger = clientOf(OTHER_WORKSPACE);
    await expect(stranger.readRun(root.id)).rejects.toMatchObject({ name: 'LangSmithNotFoundError' });
    expect(await all(stranger.listRuns({ id: [root.id] }))).toEqual([]);
    expect(await stranger.hasProject({ projectName: 'sdk-private' })).toBe(false);
    expect((await all(stranger.listProjects())).map((project) => project.name)).toEqual(['default']);
  });

  it('when the SDK sends runs with attachments, then these are stored', async () => {
    const client = clientOf();
    const root = new RunTree({
      name: 'with file',
      inputs: {},
      project_name: 'sdk-files',
      client,
      attachments: { photo: { mimeType: 'image/png', data: new Uint8Array([1, 0, 255]) } },
    });
    await root.postRun();
    await client.awaitPendingTraceBatches();
    const stored = await fixture().fresh.db.one<{ digest: string; content_type: string }>(
      'select digest, content_type from traces.attachments where run_id = $1',
      [root.id],
    );
    const blob = await fixture().blobs.get(stored.digest);
    expect([...(await new Response(blob?.stream).bytes())]).toEqual([1, 0, 255]);
    expect(stored.content_type).toBe('image/png');
  });
});
