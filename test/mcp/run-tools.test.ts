import { uuidv7 } from '@roadstead/kit';
import { useFixture } from '@roadstead/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { answered, listed, recordsIn, refusal } from './answers.ts';
import { type Arguments, LATEST, startMcpFixture } from './mcp-fixture.ts';

/** Runs and projects as tools read them, over what a client of the API recorded. */

const [first, second, foreign] = [uuidv7(), uuidv7(), uuidv7()];
const example_id = uuidv7();
const ids: Record<string, string> = {};
const AT = Date.UTC(2026, 0, 7);

interface Step {
  readonly name: string;
  readonly at: number;
  readonly under?: string;
  readonly [field: string]: unknown;
}

/** A trace in a project: its steps begin a second after each other. */
function trace(trace_id: string, project: string, steps: readonly Step[]): object[] {
  const orders = new Map<string, string>();
  return steps.map(({ name, at, under, ...fields }) => {
    const id = under === undefined ? trace_id : uuidv7();
    const start = new Date(AT + at * 1000);
    const own = `${start.toISOString().replaceAll(/[-:.Z]/g, '')}000Z${id}`;
    const dotted_order = under === undefined ? own : `${orders.get(under)}.${own}`;
    orders.set(name, dotted_order);
    ids[name] = id;
    return {
      id,
      trace_id,
      dotted_order,
      ...(under === undefined ? {} : { parent_run_id: ids[under] }),
      name,
      run_type: 'chain',
      session_name: project,
      start_time: start.toISOString(),
      end_time: new Date(AT + at * 1000 + 500).toISOString(),
      inputs: {},
      ...fields,
    };
  });
}

const fixture = useFixture(startMcpFixture);
beforeAll(async () => {
  await fixture().send(
    trace(first, 'red', [
      { name: 'ask', at: 0, tags: ['vip'], extra: { metadata: { customer: 'a "b" \\' } } },
      {
        name: 'model',
        at: 1,
        under: 'ask',
        run_type: 'llm',
        extra: { invocation_params: { model: 'm', tools: ['t'] }, metadata: { step: 1 } },
      },
      { name: 'search', at: 2, under: 'ask', run_type: 'tool', error: 'timed out' },
    ]),
  );
  await fixture().send(
    trace(second, 'blue', [{ name: 'other', at: 10, reference_example_id: example_id, outputs: { a: 1 } }]),
  );
  const langsmith = fixture().langsmith('another workspace');
  await langsmith.createRun({
    id: foreign,
    trace_id: foreign,
    name: 'theirs',
    run_type: 'chain',
    inputs: {},
    project_name: 'theirs',
  });
  await langsmith.awaitPendingTraceBatches();
});
const caller = useFixture(() => fixture().connect(`client 2.x, HTTP, ${LATEST}`));
beforeAll(() => caller().listTools());

const both = ['red', 'blue'];
const run_ids = (given: Arguments) => listed(caller(), 'fetch_runs', { limit: 10, key: 'runs', ...given });

describe('fetch_runs', () => {
  test.each<[string, Arguments, readonly string[]]>([
    ['one project, newest first', { project_name: 'red' }, ['search', 'model', 'ask']],
    ['several projects', { project_name: both }, ['other', 'search', 'model', 'ask']],
    ['several as a text', { project_name: '["red", "blue"]' }, ['other', 'search', 'model', 'ask']],
    ['a limit', { project_name: both, limit: 2 }, ['other', 'search']],
    ['a run type', { project_name: both, run_type: 'llm' }, ['model']],
    ['a run type in capitals', { project_name: both, run_type: 'TOOL' }, ['search']],
    ['errors', { project_name: both, error: 'true' }, ['search']],
    ['no errors', { project_name: both, error: false }, ['other', 'model', 'ask']],
    ['roots', { project_name: both, is_root: true }, ['other', 'ask']],
    ['children', { project_name: both, is_root: 'false' }, ['search', 'model']],
    ['a filter', { project_name: both, filter: 'eq(name, "model")' }, ['model']],
    ['a tag', { project_name: both, filter: 'has(tags, "vip")' }, ['ask']],
    [
      'metadata with quotes in it',
      {
        project_name: both,
        filter: `and(eq(metadata_key, "customer"), eq(metadata_value, ${JSON.stringify('a "b" \\')}))`,
      },
      ['ask'],
    ],
    ['a latency', { project_name: both, filter: 'lt(latency, "1s")', is_root: true }, ['other', 'ask']],
    [
      'a filter of the root',
      { project_name: both, trace_filter: 'has(tags, "vip")' },
      ['search', 'model', 'ask'],
    ],
    [
      'a filter of the tree',
      { project_name: both, tree_filter: 'eq(name, "search")', is_root: true },
      ['ask'],
    ],
    [
      'all three filters',
      {
        project_name: both,
        filter: 'eq(run_type, "llm")',
        trace_filter: 'eq(name, "ask")',
        tree_filter: 'eq(status, "error")',
      },
      ['model'],
    ],
    ['oldest first', { project_name: both, order_by: 'start_time' }, ['ask', 'model', 'search', 'other']],
    ['oldest first by order', { project_name: both, order: 'asc', limit: 1 }, ['ask']],
    ['newest first by order_by', { project_name: both, order_by: '-start_time', limit: 1 }, ['other']],
    ['an example', { project_name: both, reference_example_id: example_id }, ['other']],
    ['a time from', { project_name: both, min_start_time: '2026-01-07T00:00:02Z' }, ['other', 'search']],
    ['a time up to', { project_name: both, max_start_time: '2026-01-07T00:00:01+00:00' }, ['model', 'ask']],
    ['a trace', { project_name: 'red', trace_id: first }, ['ask', 'model', 'search']],
    ['a trace, and a type', { project_name: 'red', trace_id: first, run_type: 'llm' }, ['model']],
    ['a trace, and errors', { project_name: 'red', trace_id: first, error: true }, ['search']],
    ['a trace, and roots', { project_name: 'red', trace_id: first, is_root: true }, ['ask']],
    [
      'a trace, and a filter',
      { project_name: 'red', trace_id: first, filter: 'eq(name, "model")' },
      ['model'],
    ],
    ['a trace, and none', { project_name: 'red', trace_id: first, filter: 'eq(name, "nobody")' }, []],
    [
      'a trace, and a time',
      { project_name: 'red', trace_id: first, min_start_time: '2026-01-07T00:00:02Z' },
      ['search'],
    ],
    ['a trace, and a limit', { project_name: 'red', trace_id: first, limit: 2 }, ['ask', 'model']],
  ])('when the call goes by %s, then it finds what fits', async (_what, given, names) => {
    expect(await run_ids(given)).toEqual(names);
  });

  test('when the id of a project is given, then its runs are found', async () => {
    const [project] = recordsIn(
      await answered(caller(), 'list_projects', { project_name: 'red' }),
      'projects',
    );
    expect(await run_ids({ project_name: project?.['project_id'] })).toEqual(['search', 'model', 'ask']);
  });

  test('when there is more, then it says so, and how to get it', async () => {
    const given = { project_name: both, limit: 2 };
    const page = await answered(caller(), 'fetch_runs', given);
    expect(page).toMatchObject({ has_more: true, page_number: 1, total_pages: 1 });
    expect(page['note']).toMatch(/max_start_time/);
    const last = recordsIn(page, 'runs').at(-1);
    expect(await run_ids({ ...given, max_start_time: `${String(last?.['start_time'])}Z` })).toEqual([
      'search',
      'model',
    ]);
  });

  test.each<[string, Arguments, object]>([
    [
      'leaves invocation parameters out',
      {},
      { invocation_params: expect.stringMatching(/left out/) as string },
    ],
    [
      'shows them when asked',
      { include_invocation_params: 'true' },
      { invocation_params: { model: 'm', tools: ['t'] } },
    ],
  ])('when a run of a model is fetched, then it %s', async (_what, given, extra) => {
    const page = await answered(caller(), 'fetch_runs', {
      project_name: 'red',
      limit: 1,
      run_type: 'llm',
      ...given,
    });
    expect(recordsIn(page, 'runs')[0]).toMatchObject({ extra: { ...extra, metadata: { step: 1 } } });
  });

  test.each<[string, Arguments, string, RegExp]>([
    ['a filter, with its place', { filter: 'and(eq(name, "a")' }, 'invalid_filter', /`filter`.*character 18/],
    ['a name of a field, with the likely one', { filter: 'eq(naem, "a")' }, 'invalid_filter', /name/],
    ['a filter of the root', { trace_filter: 'eq(' }, 'invalid_filter', /`trace_filter`/],
    ['a filter of a trace', { filter: 'x', trace_id: first }, 'invalid_filter', /`filter`/],
    ['a filter that is too long', { filter: 'x'.repeat(20_001) }, 'invalid_input', /filter is longer/],
    ['a project of another workspace', { project_name: 'theirs' }, 'not_found', /project/],
    ['a trace of another workspace', { trace_id: foreign }, 'not_found', /trace/],
  ])('when it gets %s, then it refuses', async (_what, given, code, says) => {
    expect(await caller().call('fetch_runs', { project_name: 'red', limit: 5, ...given })).toMatchObject(
      refusal(code, says),
    );
  });
});

describe('list_projects', () => {
  const dataset = { id: '', name: 'colours' };
  beforeAll(async () => {
    const langsmith = fixture().langsmith();
    dataset.id = (await langsmith.createDataset(dataset.name)).id;
    await langsmith.createProject({ projectName: 'trial', referenceDatasetId: dataset.id });
    await langsmith.createProject({
      projectName: 'deployed',
      metadata: { deployment_id: 'd-1' },
      description: 'Answers customers',
    });
    for (let at = 0; at < 7; at += 1) await langsmith.createProject({ projectName: `many ${at}` });
    const others = fixture().langsmith('another workspace');
    await others.createProject({
      projectName: 'trial of others',
      referenceDatasetId: (await others.createDataset('others')).id,
    });
  });
  const names = (given: Arguments) => listed(caller(), 'list_projects', { key: 'projects', ...given });

  test('when projects are listed, then five come, newest first, and it goes on at an offset', async () => {
    const page = await answered(caller(), 'list_projects');
    expect(recordsIn(page, 'projects').map(({ name }) => name)).toEqual(
      [6, 5, 4, 3, 2].map((at) => `many ${at}`),
    );
    expect(page).toMatchObject({ has_more: true, next_offset: 5 });
    expect(await names({ offset: 5, limit: '3' })).toEqual(['many 1', 'many 0', 'deployed']);
  });

  test.each<[string, Arguments, readonly unknown[]]>([
    ['a part of the name', { project_name: 'eploy' }, ['deployed']],
    ['a dataset', { reference_dataset_name: 'colours' }, ['trial']],
    ['a dataset and a part of the name', { reference_dataset_name: 'colours', project_name: 'x' }, []],
    ['neither experiments nor projects of others', { project_name: 'trial' }, []],
  ])('when the call goes by %s, then it finds what fits', async (_what, given, expected) => {
    expect(await names(given)).toEqual(expected);
    expect(await names({ reference_dataset_id: dataset.id })).toEqual(['trial']);
  });

  test('when a project holds traces of a deployment, then its name, id and deployment come', async () => {
    const page = await answered(caller(), 'list_projects', { project_name: 'deployed' });
    expect(recordsIn(page, 'projects')).toEqual([
      { name: 'deployed', project_id: expect.any(String) as string, agent_deployment_id: 'd-1' },
    ]);
  });

  test('when more is asked for, then whole records come', async () => {
    const page = await answered(caller(), 'list_projects', { project_name: 'red', more_info: 'true' });
    expect(recordsIn(page, 'projects')).toEqual([
      expect.objectContaining({
        name: 'red',
        run_count: 1,
        error_rate: 0,
        last_run_start_time: expect.any(String) as string,
      }),
    ]);
  });

  test.each<[string, Arguments, string, RegExp]>([
    ['an unknown dataset', { reference_dataset_name: 'none' }, 'not_found', /reference_dataset_name/],
    ['the id of none', { reference_dataset_id: uuidv7() }, 'not_found', /reference_dataset_id/],
    ['a dataset of another workspace', { reference_dataset_name: 'others' }, 'not_found', /dataset/],
    [
      'both an id and a name',
      { reference_dataset_name: 'colours', reference_dataset_id: uuidv7() },
      'invalid_input',
      /both/,
    ],
    ['a negative offset', { offset: -1 }, 'invalid_input', /offset/],
    ['no limit', { limit: 0 }, 'invalid_input', /limit/],
  ])('when it gets %s, then it refuses', async (_what, given, code, says) => {
    expect(await caller().call('list_projects', given)).toMatchObject(refusal(code, says));
  });
});
