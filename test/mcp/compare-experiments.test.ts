import { uuidv7 } from '@roadstead/kit';
import { useFixture } from '@roadstead/testing';
import { evaluate } from 'langsmith/evaluation';
import { beforeAll, expect, test } from 'vitest';
import { type Arguments, LATEST, startMcpFixture, traceOf } from './mcp-fixture.ts';

/** Experiments beside each other, over what the SDK evaluated. */

const ids: Record<string, string> = {};
const topics = ['a', 'b', 'c', 'd'];

/** An experiment whose agent knows some answers, and fails at others. */
async function evaluated(prefix: string, { knows, fails = '' }: { knows: string; fails?: string }) {
  const client = fixture().langsmith();
  const { experimentName } = await evaluate(
    ({ topic }: { topic: string }) => {
      if (fails.includes(topic)) throw new Error(`no idea of ${topic}`);
      return { answer: knows.includes(topic) ? 'right' : 'wrong' };
    },
    {
      data: 'topics',
      client,
      experimentPrefix: prefix,
      evaluators: [
        ({ outputs }: { outputs?: Record<string, unknown> }) => ({
          key: 'right',
          score: outputs?.['answer'] === 'right' ? 1 : 0,
        }),
        ({ outputs }: { outputs?: Record<string, unknown> }) => ({
          key: 'harm',
          score: outputs?.['answer'] === 'wrong' ? 1 : 0,
        }),
      ],
    },
  );
  await client.awaitPendingTraceBatches();
  const { id } = await client.readProject({ projectName: experimentName });
  ids[prefix] = id;
  ids[`${prefix} name`] = experimentName;
}

const fixture = useFixture(startMcpFixture);
beforeAll(async () => {
  const client = fixture().langsmith();
  const dataset = await client.createDataset('topics');
  ids['dataset'] = dataset.id;
  await client.createExamples(topics.map((topic) => ({ dataset_id: dataset.id, inputs: { topic } })));
  await client.createFeedbackConfig({
    feedbackKey: 'harm',
    feedbackConfig: { type: 'continuous' },
    isLowerScoreBetter: true,
  });
  await evaluated('before', { knows: 'ab' });
  await evaluated('after', { knows: 'bc', fails: 'd' });
  const other = await client.createDataset('other');
  ids['other'] = (await client.createProject({ projectName: 'on another', referenceDatasetId: other.id })).id;
  await fixture().send(traceOf(uuidv7(), 1));
});
const caller = useFixture(() => fixture().connect(`client 2.x, HTTP, ${LATEST}`));

interface Row {
  kind: string;
  inputs: { topic: string };
  runs: ({ run_id: string; scores: Record<string, number>; error?: string } | null)[];
}
interface Comparison {
  experiments: Record<string, unknown>[];
  rows: Row[];
  counts: object;
  next: string[];
  has_more: boolean;
  next_offset?: number;
}
async function compare(given: Arguments = {}) {
  const answer = await caller().call('compare_experiments', {
    experiments: [ids['before name'], ids['after']],
    ...given,
  });
  expect(answer.isError, JSON.stringify(answer.content)).toBeFalsy();
  expect(answer.content?.[0]?.text?.length).toBeLessThanOrEqual(25_000);
  return answer.structuredContent as unknown as Comparison;
}
const told = ({ rows }: Comparison) => rows.map(({ kind, inputs }) => `${inputs.topic} ${kind}`);

test('when experiments are compared, then means, differences and the worst examples are told', async () => {
  const compared = await compare();
  expect(compared).toMatchObject({
    dataset_id: ids['dataset'],
    counts: { regressed: 2, improved: 1, same: 1 },
    experiments: [
      { experiment_id: ids['before'], run_count: 4, error_rate: 0, feedback: { right: { n: 4, avg: 0.5 } } },
      {
        experiment_id: ids['after'],
        error_rate: 0.25,
        delta: { error_rate: 0.25 },
        examples: { better: { right: 1 }, worse: { right: 1 } },
      },
    ],
  });
  expect(told(compared).at(-1)).toBe('c improved');
  expect(told(compared).slice(0, 2).toSorted()).toEqual(['a regressed', 'd regressed']);
  const failed = compared.rows.find(({ inputs }) => inputs.topic === 'd');
  expect(failed?.runs).toEqual([
    expect.objectContaining({ scores: { right: 0, harm: 1 } }),
    expect.objectContaining({ error: expect.stringContaining('no idea of d') as string }),
  ]);
  const [, given = '{}'] = /^get_trace_tree (.*)$/.exec(compared.next[0] ?? '') ?? [];
  const tree = await caller().call('get_trace_tree', JSON.parse(given) as Arguments);
  expect(tree.structuredContent).toMatchObject({ nodes: [{ id: compared.rows[0]?.runs[1]?.run_id }] });
});

test.each<[string, Arguments, string[]]>([
  ['what improved', { show: 'improved' }, ['c improved']],
  ['what stayed', { show: 'same' }, ['b same']],
  ['by one key', { feedback_key: 'right', show: 'regressed' }, ['a regressed']],
  ['by a key of which less is better', { feedback_key: 'harm', show: 'regressed' }, ['a regressed']],
  ['by a key that nobody has', { feedback_key: 'none' }, []],
])('when experiments are compared, then it shows %s', async (_what, given, rows) => {
  expect(told(await compare(given))).toEqual(rows);
});

test('when there are more rows, then it goes on at an offset', async () => {
  const first = await compare({ show: 'all', limit: 3 });
  expect(first).toMatchObject({ has_more: true, next_offset: 3 });
  const rest = await compare({ show: 'all', limit: 3, offset: first.next_offset });
  expect(rest.has_more).toBe(false);
  expect([...told(first), ...told(rest)].map((row) => row.slice(0, 1)).toSorted()).toEqual(topics);
});

test.each<[string, () => Arguments, string, RegExp]>([
  ['one experiment', () => ({ experiments: ids['before'] }), 'invalid_input', /2 to 5/],
  ['the same twice', () => ({ experiments: [ids['before'], ids['before name']] }), 'invalid_input', /2 to 5/],
  [
    'one that is not there',
    () => ({ experiments: [ids['before'], 'none'] }),
    'not_found',
    /experiments\[1\]/,
  ],
  [
    'experiments on several datasets',
    () => ({ experiments: [ids['before'], ids['other']] }),
    'invalid_input',
    /one dataset/,
  ],
  [
    'a project that is no experiment',
    () => ({ experiments: ['tools', ids['before']] }),
    'invalid_input',
    /one dataset/,
  ],
])('when it gets %s, then it refuses', async (_what, given, code, says) => {
  const answer = await caller().call('compare_experiments', given());
  expect(answer).toMatchObject({ isError: true, structuredContent: { error: { code } } });
  expect(answer.content?.[0]?.text).toMatch(says);
});
