import { useFixture } from '@roadstead/testing';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { type ActingFixture, examples, startActing } from './acting-fixture.ts';

const fixture = useFixture(startActing);
const agent = () => fixture().agent;
const both = () => fixture().both;
const content: ActingFixture['content'] = (...given) => fixture().content(...given);
beforeAll(() => content('add_dataset', { name: 'empty' }));
beforeEach(() => {
  agent().reads_until_done = 1;
  agent().received.length = 0;
});

const evaluators = {
  right: '(inputs, outputs, wanted) => outputs.text === wanted.text',
  length: '(inputs, outputs) => ({ score: outputs.length, comment: inputs.question })',
  broken: '() => missing',
};

test('when start_experiment is called, then an agent runs and what evaluators say is recorded', async () => {
  const more = [...examples, { inputs: { question: 'fail' }, outputs: { text: '' } }];
  const { dataset_id } = await content('add_dataset', { name: 'tried', examples: more });
  const ran = await content('start_experiment', {
    deployment: 'support',
    dataset_name: 'tried',
    evaluators,
    experiment_name: 'first try',
    concurrency: 2,
  });
  expect(ran).toMatchObject({
    experiment_name: 'first try',
    dataset_id,
    examples_run: 3,
    examples_failed: 1,
    first_failure: 'The agent’s task is failed. It broke.',
    scores: { right: { n: 2, avg: 0.5 }, length: { avg: 3 }, broken: { n: 2, errors: 2 } },
  });
  const client = both().traces.client();
  const [session] = await client.listSessions({
    query: { reference_dataset: [String(dataset_id)], include_stats: 'true' },
  });
  expect(session).toMatchObject({
    id: ran['experiment_id'],
    run_count: 3,
    feedback_stats: { right: { n: 2, avg: 0.5 }, length: { avg: 3 }, broken: { errors: 2 } },
  });
  expect(session?.extra).toMatchObject({ metadata: { deployment: 'support' } });
  const rows = await client.listExamplesWithRuns({
    params: { dataset_id: String(dataset_id) },
    body: { session_ids: [String(ran['experiment_id'])] },
  });
  expect(rows.map(({ runs }) => runs.length)).toEqual([1, 1, 1]);
  expect(
    rows.find(({ inputs }) => (inputs as { question: string }).question === 'one')?.runs[0],
  ).toMatchObject({
    outputs: { text: 'ONE', length: 3 },
    status: 'success',
  });
});

test('when the name of an experiment is taken, then it is recorded under a longer one', async () => {
  const given = { deployment: 'support', dataset_name: 'tried', evaluators: {}, limit: 1 };
  expect(await content('start_experiment', { ...given, experiment_name: 'first try' })).toMatchObject({
    experiment_name: expect.stringMatching(/^first try-[\da-f]{8}$/) as string,
  });
});

test('when one input is sent as text, then it comes in pages, and only what was asked for', async () => {
  const given = { deployment: 'support', dataset_name: 'tried', evaluators: {}, text_input: 'question' };
  expect(await content('start_experiment', { ...given, limit: 1, offset: 1 })).toMatchObject({
    examples_run: 1,
    note: expect.stringContaining('there may be more from 2') as string,
  });
  expect(agent().received[0]?.params.message?.parts[0]?.kind).toBe('text');
  expect(await content('start_experiment', { ...given, splits: ['test'] })).toMatchObject({
    examples_run: 1,
  });
  expect(await content('start_experiment', { ...given, text_input: 'other', limit: 1 })).toMatchObject({
    examples_failed: 1,
    first_failure: 'The example has no input other.',
  });
});

test('when an experiment is cancelled, then it keeps what was done', async () => {
  const hanging = [...examples, { inputs: { question: 'hang' } }];
  const { dataset_id } = await content('add_dataset', { name: 'cancelled', examples: hanging });
  const cancel = new AbortController();
  const call = content(
    'start_experiment',
    { deployment: 'support', dataset_id, evaluators, experiment_name: 'cancelled' },
    { signal: cancel.signal },
  );
  call.catch(() => undefined);
  const isHanging = () => agent().received.filter(({ method }) => method === 'tasks/get').length >= 6;
  await expect.poll(isHanging).toBe(true);
  cancel.abort();
  await expect(call).rejects.toThrow();
  const recorded = async () =>
    (
      await both()
        .traces.client()
        .listSessions({ query: { name: 'cancelled', include_stats: 'true' } })
    )[0];
  await expect.poll(recorded).toMatchObject({
    run_count: 2,
    extra: { metadata: { ended_early: 'cancelled', examples_run: 2, examples_wanted: 3 } },
  });
});

test('when an experiment’s time is over, then it says so; a slow example is an error', async () => {
  const given = { deployment: 'support', dataset_name: 'cancelled', evaluators: {} };
  expect(await content('start_experiment', { ...given, max_s: 2 })).toMatchObject({
    examples_run: 2,
    note: expect.stringContaining('2 of 3 examples were done') as string,
  });
  expect(await content('start_experiment', { ...given, example_s: 1 })).toMatchObject({
    examples_run: 3,
    examples_failed: 1,
    first_failure: 'The agent took longer than 1 s.',
  });
});

test('when a workspace runs two experiments, then a third is refused until one of them ends', async () => {
  const given = { deployment: 'support', dataset_name: 'cancelled', evaluators: {} };
  const cancel = new AbortController();
  const two = [1, 2].map(() => content('start_experiment', given, { signal: cancel.signal }));
  for (const call of two) call.catch(() => undefined);
  const areHanging = () =>
    agent().received.filter(({ params }) => params.message?.parts[0]?.data?.question === 'hang').length === 2;
  await expect.poll(areHanging).toBe(true);
  expect(await content('start_experiment', given)).toMatchObject({ error: { code: 'rate_limited' } });
  cancel.abort();
  await Promise.allSettled(two);
  // None of these examples hangs.
  const again = async () => content('start_experiment', { ...given, dataset_name: 'tried', limit: 1 });
  await expect.poll(again).toMatchObject({ examples_run: 1 });
});

test.each([
  [{ evaluators: { a: 'not javascript' } }, 'invalid_input', 'evaluators.a'],
  [{ evaluators: { a: 1 } }, 'invalid_input', 'JavaScript'],
  [{ dataset_name: 'empty' }, 'not_found', 'nothing to run'],
  [{ dataset_name: 'nobody' }, 'not_found', 'No dataset is the one'],
])('when start_experiment gets %j, then it answers %s', async (given, code, says) => {
  const { error } = await content('start_experiment', {
    deployment: 'support',
    dataset_name: 'tried',
    ...given,
  });
  expect(error).toMatchObject({ code, message: expect.stringContaining(says) as string });
});
