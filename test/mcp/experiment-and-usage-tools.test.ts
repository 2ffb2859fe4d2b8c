import { listen, toNodeListener } from '@roadstead/http';
import { uuidv7 } from '@roadstead/kit';
import { useFixture } from '@roadstead/testing';
import { evaluate } from 'langsmith/evaluation';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  OTHER_WORKSPACE,
  WORKSPACE,
} from '../../packages/observability/src/testing/observability-fixture.ts';
import { answered, listed, recordsIn, refusal } from './answers.ts';
import { type Arguments, LATEST, startMcpFixture } from './mcp-fixture.ts';

/** Experiments and usage as tools read them, over what the SDK evaluated. */

const ids: Record<string, string> = {};
type Answers = Readonly<Record<string, unknown>>;

const fixture = useFixture(startMcpFixture);
const caller = useFixture(() => fixture().connect(`client 2.x, HTTP, ${LATEST}`));
beforeAll(async () => {
  await caller().listTools();
  const client = fixture().langsmith();
  const dataset = await client.createDataset('questions');
  ids['questions'] = dataset.id;
  ids['untried'] = (await client.createDataset('untried')).id;
  await client.createExamples(
    ['a', 'b'].map((question) => ({
      dataset_id: dataset.id,
      inputs: { question },
      outputs: { answer: question.toUpperCase() },
    })),
  );
  for (const known of ['a', 'ab']) {
    const { experimentName } = await evaluate(
      ({ question }: { question: string }) => {
        if (!known.includes(question)) throw new Error('unknown');
        return { answer: question.toUpperCase() };
      },
      {
        data: 'questions',
        client,
        experimentPrefix: `knows ${known}`,
        metadata: { deployment_id: `d-${known}` },
        evaluators: [
          ({ outputs, referenceOutputs }: { outputs?: Answers; referenceOutputs?: Answers }) => ({
            key: 'exact',
            score: outputs?.['answer'] === referenceOutputs?.['answer'],
          }),
        ],
      },
    );
    ids[known] = (await client.readProject({ projectName: experimentName })).id;
  }
  const others = fixture().langsmith('another workspace');
  ids['theirs'] = (await others.createDataset('theirs')).id;
  await others.createProject({ projectName: 'their trial', referenceDatasetId: ids['theirs'] });
});

describe('list_experiments', () => {
  const experiments = (given: Arguments) =>
    listed(caller(), 'list_experiments', { key: 'experiments', member: 'experiment_id', ...given });
  const given = { reference_dataset_name: 'questions' };

  test.each<[string, () => Arguments, readonly string[]]>([
    ['a dataset’s name', () => given, ['ab', 'a']],
    ['a dataset’s id', () => ({ reference_dataset_id: ids['questions'] }), ['ab', 'a']],
    ['a part of the name', () => ({ ...given, project_name: 'knows ab' }), ['ab']],
    ['a limit', () => ({ ...given, limit: '1' }), ['ab']],
    ['an offset', () => ({ ...given, limit: 1, offset: 1 }), ['a']],
    ['a dataset that nothing was tried on', () => ({ reference_dataset_id: ids['untried'] }), []],
  ])('when the call goes by %s, then it finds what fits', async (_what, asked, names) => {
    expect(await experiments(asked())).toEqual(names.map((name) => ids[name]));
  });

  test('when experiments are listed, then each shows feedback, latency, errors and deployment', async () => {
    const page = await answered(caller(), 'list_experiments', { ...given, project_name: 'knows a-' });
    expect(page).toMatchObject({ has_more: false });
    expect(recordsIn(page, 'experiments')).toEqual([
      expect.objectContaining({
        name: expect.stringMatching(/^knows a-/) as string,
        experiment_id: ids['a'],
        feedback_stats: { exact: expect.objectContaining({ n: 2, avg: 0.5 }) as object },
        latency_p50_seconds: expect.any(Number) as number,
        latency_p99_seconds: expect.any(Number) as number,
        run_count: 2,
        error_rate: 0.5,
        total_tokens: 0,
        start_time: expect.any(String) as string,
        dataset_version: expect.any(String) as string,
        agent_deployment_id: 'd-a',
      }),
    ]);
  });

  test('when an experiment is listed, then its id leads to its runs', async () => {
    const found = await listed(caller(), 'fetch_runs', {
      key: 'runs',
      member: 'error',
      project_name: ids['a'],
      limit: 9,
      error: true,
      is_root: true,
    });
    expect(found).toEqual([expect.stringMatching(/unknown/)]);
  });
});

describe('get_billing_usage', () => {
  const today = new Date().toISOString().slice(0, 10);
  const range = { starting_on: today, ending_before: new Date(Date.now() + 2 * 86_400_000).toISOString() };
  const usage = async (given: Arguments) =>
    recordsIn(await answered(caller(), 'get_billing_usage', given), 'usage');

  test.each<[string, Arguments]>([
    ['days and times', {}],
    ['a workspace’s id', { workspace: WORKSPACE }],
    ['its id in capitals', { workspace: ` ${WORKSPACE.toUpperCase()} ` }],
    ['its name', { workspace: 'DEFAULT' }],
    ['the plan', { on_current_plan: 'false' }],
  ])('when the call goes by %s, then it finds what fits', async (_what, given) => {
    const [first, ...others] = await usage({ ...range, ...given });
    expect(first).toEqual({
      customer_id: WORKSPACE,
      billable_metric_id: 'langsmith-traces',
      billable_metric_name: expect.stringMatching(/Traces/) as string,
      start_timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT00:00:00/) as string,
      end_timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT00:00:00/) as string,
      value: expect.any(Number) as number,
      groups: { [WORKSPACE]: { workspace_name: 'default', value: first?.['value'] } },
    });
    expect(first?.['value']).toBeGreaterThanOrEqual(4);
    expect(others.map(({ billable_metric_id }) => billable_metric_id)).toContain(
      'langsmith-extended-retention',
    );
  });

  test('when a range has no traces, then it gives nothing', async () => {
    expect(await usage({ starting_on: '2020-01-01', ending_before: '2020-02-01' })).toEqual([]);
  });
});

/** An API like the fixture's, to a key that may not list workspaces. */
async function withoutWorkspaces(): Promise<{ readonly url: string } & AsyncDisposable> {
  const answer = async (request: Request) => {
    const { pathname, search } = new URL(request.url);
    if (pathname.endsWith('/workspaces')) return Response.json({ detail: 'Not allowed.' }, { status: 403 });
    return fetch(`${fixture().api_url}${pathname}${search}`, { headers: request.headers });
  };
  const server = await listen(toNodeListener(answer), { host: '127.0.0.1', port: 0 });
  return {
    url: `http://127.0.0.1:${server.port}`,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

test('when a key may not list workspaces, then get_billing_usage shows ids and finds no name', async () => {
  await using api = await withoutWorkspaces();
  await using other = await startMcpFixture({ api_url: api.url });
  await using reader = await other.connect(`client 2.x, HTTP, ${LATEST}`);
  const given = { starting_on: '2026-01-01', ending_before: '2030-01-01' };
  for (const workspace of [undefined, WORKSPACE]) {
    const page = await answered(reader, 'get_billing_usage', { ...given, workspace });
    const [{ groups } = {}] = recordsIn(page, 'usage');
    expect(groups).toEqual({
      [WORKSPACE]: { workspace_name: WORKSPACE, value: expect.any(Number) as number },
    });
  }
  expect(
    recordsIn(await answered(reader, 'get_billing_usage', { ...given, workspace: OTHER_WORKSPACE }), 'usage'),
  ).toEqual([]);
  expect(await reader.call('get_billing_usage', { ...given, workspace: 'default' })).toMatchObject(
    refusal('forbidden', /workspaces/),
  );
});

const range = { starting_on: '2026-01-01', ending_before: '2026-02-01' };
test.each<[string, string, () => Arguments, string, RegExp]>([
  ['no dataset', 'list_experiments', () => ({}), 'invalid_input', /reference_dataset_id/],
  [
    'both ways to name one',
    'list_experiments',
    () => ({ reference_dataset_id: ids['questions'], reference_dataset_name: 'questions' }),
    'invalid_input',
    /both/,
  ],
  ['an unknown name', 'list_experiments', () => ({ reference_dataset_name: 'none' }), 'not_found', /_name/],
  ['an unknown id', 'list_experiments', () => ({ reference_dataset_id: uuidv7() }), 'not_found', /_id/],
  ['no uuid', 'list_experiments', () => ({ reference_dataset_id: 'questions' }), 'invalid_input', /uuid/],
  [
    'a dataset of others',
    'list_experiments',
    () => ({ reference_dataset_id: ids['theirs'] }),
    'not_found',
    /reference_dataset_id/,
  ],
  ['no range', 'get_billing_usage', () => ({}), 'invalid_input', /starting_on is required; ending_before/],
  ['no time', 'get_billing_usage', () => ({ ...range, starting_on: 'May' }), 'invalid_input', /starting_on/],
  [
    'an end before the start',
    'get_billing_usage',
    () => ({ ...range, ending_before: '2025-12-31T00:00:00+01:00' }),
    'invalid_input',
    /ending_before/,
  ],
  ['no boolean', 'get_billing_usage', () => ({ ...range, on_current_plan: 'x' }), 'invalid_input', /plan/],
  ['an unknown name', 'get_billing_usage', () => ({ ...range, workspace: 'none' }), 'not_found', /workspace/],
  [
    'another workspace',
    'get_billing_usage',
    () => ({ ...range, workspace: OTHER_WORKSPACE }),
    'not_found',
    /workspace/,
  ],
])('when the call has %s, then it is refused by %s', async (_what, name, given, code, says) => {
  expect(await caller().call(name, given())).toMatchObject(refusal(code, says));
});
