import { statusOf, useFixture } from '@roadstead/testing';
import { expect, it } from 'vitest';
import { startFixture } from '../testing/observability-fixture.ts';

const fixture = useFixture(startFixture);

it('when an experiment that ran elsewhere is uploaded, then all of it is or none', async () => {
  const row = (question: string, score: number) => ({
    inputs: { question },
    expected_outputs: { answer: question.toUpperCase() },
    actual_outputs: { answer: '?' },
    evaluation_scores: [{ key: 'exact', score }],
    start_time: '2026-01-01T00:00:00Z',
    end_time: '2026-01-01T00:00:02Z',
    run_metadata: { model: 'theirs' },
  });
  const times = {
    experiment_start_time: '2026-01-01T00:00:00Z',
    experiment_end_time: '2026-01-01T00:01:00Z',
  };
  const upload = async (experiment_name: string, results: ReturnType<typeof row>[]) =>
    fixture()
      .client()
      .uploadExperiment({
        raw: JSON.stringify({
          experiment_name,
          dataset_name: 'uploaded',
          summary_experiment_scores: [{ key: 'overall', score: 0.25 }],
          results,
          ...times,
        }),
      });
  const { dataset, experiment } = await upload('first upload', [row('a', 1), row('b', 0)]);
  expect(dataset).toMatchObject({ name: 'uploaded', example_count: 2, externally_managed: true });
  const again = await upload('second upload', [row('b', 1), row('c', 1)]);
  expect(again.dataset).toMatchObject({ id: dataset['id'], example_count: 3 });
  expect(await statusOf(upload('first upload', [row('d', 1)]))).toBe(409);
  const wrong = { ...row('e', 1), end_time: 'soon' };
  expect(await statusOf(upload('third upload', [row('d', 1), wrong]))).toBe(422);
  const params = { dataset_id: String(dataset['id']) };
  expect((await fixture().client().readDataset({ params })).example_count).toBe(3);
  const stats = await fixture()
    .client()
    .readSession({
      params: { session_id: experiment.id },
      query: { include_stats: 'true' },
    });
  expect(stats).toMatchObject({
    run_count: 2,
    latency_p50: expect.closeTo(2, 1) as number,
    feedback_stats: { exact: { n: 2, avg: 0.5 } },
    session_feedback_stats: { overall: { n: 1, avg: 0.25 } },
  });
  const session_ids = [experiment.id, again.experiment.id];
  const listed = await fixture().client().listExamplesWithRuns({ params, body: { session_ids } });
  expect(listed.map(({ runs }) => runs.length).sort((a, b) => a - b)).toEqual([1, 1, 2]);
});

it('when an experiment that ran elsewhere is uploaded, then its numbers stay as written', async () => {
  const [large, from, to] = ['{"n":12345678901234567891}', '2026-01-01T00:00:00Z', '2026-01-01T00:00:02Z'];
  const raw = `{"experiment_name":"large numbers","dataset_name":"large numbers","experiment_start_time":"${from}",
    "experiment_end_time":"${to}","results":[{"inputs":${large},"expected_outputs":${large},
    "actual_outputs":${large},"run_metadata":null,"start_time":"${from}","end_time":"${to}"}]}`;
  const { dataset, experiment } = await fixture().client().uploadExperiment({ raw });
  const answer = await fixture().send(`/datasets/${String(dataset['id'])}/runs`, {
    method: 'POST',
    body: JSON.stringify({ session_ids: [experiment.id] }),
  });
  const text = await answer.text();
  for (const [side, count] of [
    ['inputs', 2],
    ['outputs', 2],
  ] as const)
    expect(text.split(`"${side}":${large}`)).toHaveLength(count + 1);
});
