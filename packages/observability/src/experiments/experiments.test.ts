import { statusOf, useFixture } from '@roadstead/testing';
import { Client, type Run } from 'langsmith';
import { evaluate, evaluateComparative } from 'langsmith/evaluation';
import { describe, expect, it } from 'vitest';
import { uuidv7 } from '@roadstead/kit';
import { OTHER_WORKSPACE, startFixture, WORKSPACE } from '../testing/observability-fixture.ts';

/** Evaluations by the real SDK over real HTTP, and what can be read of them. */

const fixture = useFixture(startFixture);
const http = useFixture(() => fixture().listen());

type Answers = Record<string, unknown>;

const sdk = () => new Client({ apiUrl: `${http().url}/api`, apiKey: `key-${WORKSPACE}`, timeout_ms: 20_000 });
const client = () => fixture().client();

/** Three questions; `model` decides how many it can answer; the fourth argument of `evaluate` names the experiment. */
async function questions(): Promise<{ id: string; name: string; examples: string[] }> {
  const name = `questions ${uuidv7()}`;
  const dataset = await sdk().createDataset(name);
  const created = await sdk().createExamples(
    ['a', 'b', 'c'].map((question, index) => ({
      dataset_id: dataset.id,
      inputs: { question },
      outputs: { answer: question.toUpperCase() },
      metadata: { topic: index < 2 ? 'early' : 'late' },
    })),
  );
  return { id: dataset.id, name, examples: created.map((example) => example.id) };
}

async function evaluated(
  dataset: { readonly name: string },
  { known, experimentPrefix, ...more }: { known: string; experimentPrefix: string; numRepetitions?: number },
): Promise<{ id: string; name: string }> {
  const langsmith = sdk();
  const target = ({ question }: { question: string }) => ({
    answer: known.includes(question) ? question.toUpperCase() : '?',
  });
  const results = await evaluate(target, {
    data: dataset.name,
    evaluators: [
      ({ outputs, referenceOutputs }: { outputs: Answers; referenceOutputs?: Answers }) => ({
        key: 'exact',
        score: outputs['answer'] === referenceOutputs?.['answer'] ? 1 : 0,
      }),
    ],
    summaryEvaluators: [({ runs }: { runs: Run[] }) => ({ key: 'answered', score: runs.length })],
    client: langsmith,
    experimentPrefix,
    metadata: { model: known },
    ...more,
  });
  await langsmith.awaitPendingTraceBatches();
  const project = await langsmith.readProject({ projectName: results.experimentName });
  return { id: project.id, name: results.experimentName };
}

describe('an evaluation', () => {
  it('when the JavaScript SDK evaluates, then its numbers are read back by example and compared', async () => {
    const dataset = await questions();
    const weak = await evaluated(dataset, { known: 'a', experimentPrefix: 'weak', numRepetitions: 2 });
    const strong = await evaluated(dataset, { known: 'ab', experimentPrefix: 'strong' });
    const session = await client().readSession({
      params: { session_id: weak.id },
      query: { include_stats: 'true' },
    });
    expect(session).toMatchObject({
      reference_dataset_id: dataset.id,
      test_run_number: 1,
      run_count: 6,
      error_rate: 0,
      experiment_progress: { expected_run_count: 6, run_progress: 1 },
      feedback_stats: { exact: { n: 6 } },
      session_feedback_stats: { answered: { n: 1, avg: 6 } },
    });
    expect(session.feedback_stats?.['exact']).toMatchObject({ avg: expect.closeTo(1 / 3, 6) as number });
    const params = { dataset_id: dataset.id };
    const session_ids = [weak.id, strong.id];
    const listed = await client().listExamplesWithRuns({ params, body: { session_ids } });
    expect(listed.map(({ inputs }) => inputs)).toEqual(['a', 'b', 'c'].map((question) => ({ question })));
    expect(listed.map(({ runs }) => runs.length)).toEqual([3, 3, 3]);
    const [first] = listed;
    expect(first?.runs.at(-1)).toMatchObject({
      session_id: strong.id,
      reference_example_id: first?.id,
      outputs: { answer: 'A' },
      feedback_stats: { exact: { n: 1, avg: 1 } },
      feedbacks: [{ key: 'exact', score: 1 }],
    });
    const deltas = await client().compareExperimentFeedback({
      params,
      body: { baseline_session_id: weak.id, comparison_session_ids: [strong.id], feedback_key: 'exact' },
    });
    expect(deltas.feedback_deltas).toEqual({
      [strong.id]: { improved_examples: [listed[1]?.id], regressed_examples: [] },
    });
    const summed = await client().readDataset({ params });
    expect(summed.session_count).toBe(2);
  });

  it('when an evaluation is read, then it is paged, filtered, sorted, previewed or a table', async () => {
    const dataset = await questions();
    const { id } = await evaluated(dataset, { known: 'b', experimentPrefix: 'some' });
    const params = { dataset_id: dataset.id };
    const inputsOf = async (body: object) =>
      (await client().listExamplesWithRuns({ params, body: { session_ids: [id], ...body } })).map(
        ({ inputs }) => (inputs as { question: string }).question,
      );
    expect(await inputsOf({ limit: 2 })).toEqual(['a', 'b']);
    expect(await inputsOf({ limit: 2, offset: 2 })).toEqual(['c']);
    const sort_params = { sort_by: 'feedback.exact' };
    expect((await inputsOf({ sort_params }))[0]).toBe('b');
    const passed = 'and(eq(feedback_key, "exact"), eq(feedback_score, 1))';
    expect(await inputsOf({ filters: { [id]: [passed] } })).toEqual(['b']);
    expect(await inputsOf({ example_ids: [dataset.examples[2]] })).toEqual(['c']);
    expect(await statusOf(inputsOf({ filters: { [id]: ['eq(name'] } }))).toBe(400);
    const [preview] = await client().listExamplesWithRuns({
      params,
      body: { session_ids: [id], preview: true },
    });
    expect(preview?.runs[0]).toMatchObject({
      outputs: null,
      outputs_preview: expect.stringContaining('?') as string,
    });
    const pages: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<ReturnType<typeof client>['listExperimentRuns']>> =
        await client().listExperimentRuns({
          params,
          body: { experiment_ids: [id], selects: ['OUTPUTS'], page_size: 1, cursor },
        });
      pages.push(JSON.stringify(page.items.map(({ runs }) => runs.map((run) => run['outputs']))));
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(pages).toEqual(['[[{"answer":"?"}]]', '[[{"answer":"B"}]]', '[[{"answer":"?"}]]']);
    const table = await fixture().send(`/datasets/${dataset.id}/runs?format=csv`, {
      method: 'POST',
      body: JSON.stringify({ session_ids: [id] }),
    });
    const lines = (await table.text()).trim().split('\r\n');
    expect(lines[0]).toBe(
      'example_id,inputs,reference_outputs,run_id,outputs,status,error,latency,total_tokens,total_cost,feedback.exact',
    );
    expect(lines[2]).toContain('"{""question"":""b""}","{""answer"":""B""}"');
    expect(lines[2]?.endsWith(',1')).toBe(true);
    expect(lines).toHaveLength(4);
  });

  it('when a comparison is asked about, then its pairwise feedback is shown, and no other’s', async () => {
    const dataset = await questions();
    const { id } = await evaluated(dataset, { known: 'b', experimentPrefix: 'pairwise' });
    const params = { dataset_id: dataset.id };
    const [first] = await client().listExamplesWithRuns({ params, body: { session_ids: [id], limit: 1 } });
    const run_id = first?.runs[0]?.id ?? '';
    const [asked, other] = [uuidv7(), uuidv7()];
    for (const [comparative_experiment_id, score] of [
      [asked, 1],
      [other, 0],
    ] as const)
      await client().createFeedback({ body: { run_id, key: 'preferred', score, comparative_experiment_id } });
    const body = { experiment_ids: [id], example_ids: [first?.id ?? ''], selects: ['FEEDBACK_STATS'] };
    const statsOf = async (more: object) => {
      const page = await client().listExperimentRuns({ params, body: { ...body, ...more } });
      return page.items[0]?.runs[0]?.['feedback_stats'];
    };
    expect(await statsOf({ comparative_experiment_id: asked })).toMatchObject({
      preferred: { n: 1, avg: 1 },
    });
    expect(await statsOf({ comparative_experiment_id: other })).toMatchObject({
      preferred: { n: 1, avg: 0 },
    });
    expect(await statsOf({})).not.toHaveProperty('preferred');
    const sort = { by: 'feedback.preferred' };
    const sorted = await client().listExperimentRuns({
      params,
      body: { experiment_ids: [id], sort, comparative_experiment_id: asked, page_size: 1 },
    });
    expect(sorted.items[0]?.id).toBe(first?.id);
  });

  it('when annotators are asked for, then they are named; a preview shortens outputs', async () => {
    const dataset = await questions();
    const { id } = await evaluated(dataset, { known: 'b', experimentPrefix: 'annotated' });
    const params = { dataset_id: dataset.id };
    const body = { session_ids: [id], limit: 1 };
    const [first] = await client().listExamplesWithRuns({ params, body });
    const run_id = first?.runs[0]?.id ?? '';
    const by_key = fixture().client(WORKSPACE, `key:${WORKSPACE}`);
    await by_key.createFeedback({ body: { run_id, key: 'judged', score: 1 } });
    const named = async (include_annotator_detail: boolean) => {
      const [shown] = await client().listExamplesWithRuns({
        params,
        body: { ...body, include_annotator_detail },
      });
      const found = shown?.runs[0]?.feedbacks.find((one) => one['key'] === 'judged');
      return (found?.['feedback_source'] as { user_name: string | null } | undefined)?.user_name;
    };
    expect([await named(true), await named(false)]).toEqual(['first', null]);
    const table = async (more: object) => {
      const sent = { method: 'POST', body: JSON.stringify({ ...body, ...more }) };
      const answer = await fixture().send(`/datasets/${dataset.id}/runs?format=csv`, sent);
      return (await answer.text()).trim().split('\r\n');
    };
    const [titles, line] = await table({ include_annotator_detail: true });
    expect(titles?.endsWith('feedback.judged,feedback.judged.annotator')).toBe(true);
    expect(line?.endsWith(',1,first')).toBe(true);
    const long = { method: 'PATCH', body: JSON.stringify({ outputs: { answer: '?'.repeat(10_000) } }) };
    await fixture().send(`/runs/${run_id}`, long);
    const lengthOf = async (preview: boolean) => (await table({ preview }))[1]?.length ?? 0;
    expect([(await lengthOf(false)) > 10_000, (await lengthOf(true)) < 2000]).toEqual([true, true]);
  });

  it('when many experiments begin at once, then each has its own number in the dataset', async () => {
    const { id: reference_dataset_id } = await questions();
    const made = await Promise.all(
      Array.from({ length: 12 }, async (_, index) =>
        client().createSession({
          body: { name: `at once ${index} ${reference_dataset_id}`, reference_dataset_id },
        }),
      ),
    );
    const numbers = made.map(({ test_run_number }) => test_run_number ?? 0).toSorted((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
  });

  it('when experiments are grouped, then it is by what experiments, runs and examples say', async () => {
    const dataset = await questions();
    const [one, two] = [
      await evaluated(dataset, { known: 'a', experimentPrefix: 'one' }),
      await evaluated(dataset, { known: 'ab', experimentPrefix: 'two' }),
    ];
    const params = { dataset_id: dataset.id };
    const { groups } = await client().groupExperiments({ params, body: { metadata_keys: ['model'] } });
    expect(
      groups.map(({ group, experiment_count, run_count }) => [group[0]?.value, experiment_count, run_count]),
    ).toEqual([
      ['ab', 1, 3],
      ['a', 1, 3],
    ]);
    const filter = `eq(name, ${JSON.stringify(one.name)})`;
    const only = await client().groupExperiments({ params, body: { metadata_keys: ['model'], filter } });
    expect(only.groups.map(({ sessions }) => sessions.map(({ id }) => id))).toEqual([[one.id]]);
    const grouped = await client().groupExperimentRuns({
      params,
      body: { session_ids: [one.id, two.id], group_by: 'example_metadata', metadata_key: 'topic' },
    });
    expect(
      grouped.groups.map(({ group_key, count, example_count, sessions, examples }) => [
        group_key,
        count,
        example_count,
        sessions.length,
        examples.map(({ runs }) => runs.length),
      ]),
    ).toEqual([
      ['early', 4, 2, 2, [2, 2]],
      ['late', 2, 1, 2, [2]],
    ]);
    expect(grouped.groups[0]?.feedback_stats).toMatchObject({ exact: { n: 4, avg: 0.75 } });
  });

  it('when an evaluation compares two others, then its preferences are left with them', async () => {
    const dataset = await questions();
    const [one, two] = [
      await evaluated(dataset, { known: 'a', experimentPrefix: 'one' }),
      await evaluated(dataset, { known: 'ab', experimentPrefix: 'two' }),
    ];
    const compared = await evaluateComparative([one.name, two.name], {
      evaluators: [
        ({ runs }: { runs: Run[] }) => ({
          key: 'preferred',
          scores: Object.fromEntries(runs.map((run) => [run.id, run.outputs?.['answer'] === '?' ? 0 : 1])),
        }),
      ],
      client: sdk(),
    });
    expect(compared.results).toHaveLength(3);
    const params = { dataset_id: dataset.id };
    const [comparison, ...others] = await client().listComparativeExperiments({ params });
    expect(others).toEqual([]);
    expect(comparison).toMatchObject({
      name: compared.experimentName,
      experiments_info: [
        { id: one.id, name: one.name },
        { id: two.id, name: two.name },
      ],
      feedback_stats: { preferred: { n: 6, avg: 0.5 } },
    });
    const id = comparison?.id ?? '';
    const keysOf = async (comparative_experiment_id: string | null) => {
      const body = { session_ids: [one.id], comparative_experiment_id };
      const [first] = await client().listExamplesWithRuns({ params, body });
      return first?.runs[0]?.feedbacks.map(({ key }) => String(key)).sort();
    };
    expect(await keysOf(null)).toEqual(['exact']);
    expect(await keysOf(id)).toEqual(['exact', 'preferred']);
    const of = { params: { comparative_experiment_id: id } };
    expect(await statusOf(fixture().client(OTHER_WORKSPACE).deleteComparativeExperiment(of))).toBe(404);
    await client().deleteComparativeExperiment(of);
    expect(await client().listComparativeExperiments({ params })).toEqual([]);
  });
});

describe('experiments', () => {
  it('when experiments are of other datasets, none or another workspace, then they are refused', async () => {
    const [one, two] = [await questions(), await questions()];
    const named = async (name: string, reference_dataset_id: string | null) =>
      (await client().createSession({ body: { name: `${name} ${uuidv7()}`, reference_dataset_id } })).id;
    const [a, b, plain] = [await named('a', one.id), await named('b', two.id), await named('c', null)];
    const compare = async (...experiment_ids: string[]) =>
      statusOf(client().createComparativeExperiment({ body: { experiment_ids } }));
    expect(await compare(a)).toBe(200);
    expect(await compare(a, b)).toBe(400);
    expect(await compare(plain)).toBe(400);
    expect(await compare(uuidv7())).toBe(404);
    const params = { dataset_id: one.id };
    const read = async (session_id: string, at = client()) =>
      statusOf(at.listExamplesWithRuns({ params, body: { session_ids: [session_id] } }));
    expect(await read(a)).toBe(200);
    expect(await read(b)).toBe(400);
    expect(await read(a, fixture().client(OTHER_WORKSPACE))).toBe(404);
  });
});
