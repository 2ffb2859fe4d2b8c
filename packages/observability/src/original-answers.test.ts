import { useFixture } from '@roadstead/testing';
import { Client, RunTree } from 'langsmith';
import { expect, it } from 'vitest';
import type { OriginalAnswer } from './testing/original-answer.ts';
import { originalAnswers, type OriginalNoun } from './testing/original-answers.ts';
import { startFixture, WORKSPACE } from './testing/observability-fixture.ts';

/** Objects that the SDK creates; our answers with them are compared with the original's, field by field. */

const fixture = useFixture(startFixture);
const http = useFixture(() => fixture().listen());
const answers = useFixture(answersToHold);

it.each(Object.entries(originalAnswers))(
  'when the answer is of the kind %s, then it has the members of the original’s',
  (noun, original) => {
    const answer = answers()[noun as OriginalNoun];
    expect(differences(answer, original)).toEqual({ missing: [], of_another_kind: {}, more: [] });
  },
);

it('when an answer differs, then what is missing, of another kind or more is told', () => {
  const original = {
    source: '',
    kinds: { uuid: 'id', 'naive|null': 'at end', string: 'name' },
    ours: 'extra',
  };
  expect(
    differences({ id: 'x', at: '2026-01-05T10:00:00Z', end: null, extra: 1, other: 1 }, original),
  ).toEqual({
    missing: ['name'],
    of_another_kind: { id: 'string', at: 'string, time, offset' },
    more: ['other'],
  });
});

const words = (text = '') => text.split(' ').filter((word) => word !== '');

function differences(answer: unknown, { kinds, ours }: OriginalAnswer) {
  const fields = answer as Readonly<Record<string, unknown>>;
  const wanted = Object.entries(kinds).flatMap(([kind, names]) =>
    words(names).map((name) => ({ name, kinds: kind.split('|') })),
  );
  const known = new Set([...wanted.map(({ name }) => name), ...words(ours)]);
  const wrong = wanted.filter(
    ({ name, kinds: allowed }) =>
      name in fields && !kindsOf(fields[name]).some((kind) => allowed.includes(kind)),
  );
  return {
    missing: [...known].filter((name) => !(name in fields)).filter((name) => !words(ours).includes(name)),
    of_another_kind: Object.fromEntries(wrong.map(({ name }) => [name, kindsOf(fields[name]).join(', ')])),
    more: Object.keys(fields).filter((name) => !known.has(name)),
  };
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?$/;

/** Every kind that a value may have. */
function kindsOf(value: unknown): string[] {
  if (value === null) return ['null'];
  if (Array.isArray(value)) return ['array'];
  if (typeof value !== 'string') return [typeof value];
  const [, , offset] = TIME.exec(value) ?? [];
  const time = TIME.test(value) ? ['time', offset === undefined ? 'naive' : 'offset'] : [];
  return ['string', ...(UUID.test(value) ? ['uuid'] : []), ...time];
}

async function ask<Answer = object>(path: string, body?: object, method = 'POST'): Promise<Answer> {
  const headers = { 'x-api-key': `key-${WORKSPACE}`, 'content-type': 'application/json' };
  const init = body === undefined ? { headers } : { method, headers, body: JSON.stringify(body) };
  const answer = await fetch(`${http().url}/api${path}`, init);
  expect([answer.ok, path, answer.ok ? '' : await answer.text()]).toEqual([true, path, '']);
  return (await answer.json()) as Answer;
}

async function answersToHold(): Promise<Record<OriginalNoun, unknown>> {
  const client = new Client({ apiUrl: `${http().url}/api`, apiKey: `key-${WORKSPACE}` });
  const { dataset, example, experiment, root, model } = await anExperiment(client);
  const said = await client.createFeedback(root, 'right', { score: 1, comment: 'well said' });
  const queue = await client.createAnnotationQueue({ name: 'to review', rubricInstructions: 'Is it right?' });
  await client.addRunsToAnnotationQueue(queue.id, [root]);
  await client.createPrompt('greeting', { description: 'Greets' });
  await client.createCommit('greeting', {
    lc: 1,
    type: 'constructor',
    id: ['langchain', 'PromptTemplate'],
    kwargs: {},
  });
  const read = await ask<{ feedback_stats: { right: unknown } }>(`/runs/${root}`);
  const window = `starting_on=2020-01-01T00:00:00Z&ending_before=2040-01-01T00:00:00Z`;
  const selected = (noun: OriginalNoun) =>
    Object.values<string>(originalAnswers[noun].kinds)
      .flatMap(words)
      .map((name) => `&selects=${name.toUpperCase()}`)
      .join('');
  const inProject = `?project_id=${experiment}`;
  const first = async (path: string, body?: object) =>
    Object.values(await ask(path, body)).flat()[0] as unknown;
  return {
    run: read,
    'run that was asked for by a query': await first('/runs/query', { id: [model] }),
    'run of the second generation': await ask(
      `/v2/runs/${root}${inProject}${selected('run of the second generation')}`,
    ),
    'statistics of feedback': read.feedback_stats.right,
    'statistics of runs': await ask('/runs/stats', {
      session: [experiment],
      select: ['all_run_stats', 'run_facets'],
    }),
    experiment: await ask(`/sessions/${experiment}?include_stats=true`),
    dataset: await ask(`/datasets/${dataset}`),
    'version of a dataset': await first(`/datasets/${dataset}/versions`),
    example: await ask(`/examples/${example}`),
    feedback: await ask(`/feedback/${said.id}`),
    'feedback configuration': await ask('/feedback-configs', {
      feedback_key: 'mood',
      feedback_config: { type: 'continuous', min: 0, max: 1 },
    }),
    prompt: (await ask<{ repo: unknown }>('/repos/-/greeting')).repo,
    'commit of a prompt': await ask('/commits/-/greeting/latest'),
    'commit in a list': await first('/commits/-/greeting/'),
    'annotation queue': await ask(`/annotation-queues/${queue.id}`),
    'annotation queue in a list': await first('/annotation-queues'),
    'run in a queue': await ask(`/annotation-queues/${queue.id}/run/0`),
    thread: await first('/v2/threads/query', { project_id: experiment }),
    'turn of a thread': await first(
      `/v2/threads/a%20thread/traces${inProject}${selected('turn of a thread')}`,
    ),
    rule: await ask('/runs/rules', {
      display_name: 'all',
      session_id: experiment,
      sampling_rate: 1,
      extend_only: true,
    }),
    'retention of a workspace': await first('/ttl-settings'),
    'limit of usage': await ask(
      '/usage-limits',
      { limit_type: 'monthly_traces', limit_value: 1_000_000 },
      'PUT',
    ),
    'feedback token': await ask('/feedback/tokens', { run_id: root, feedback_key: 'right' }),
    'link to a run': await client.shareRun(root).then(() => ask(`/runs/${root}/share`)),
    server: await ask('/info'),
    workspace: await first('/workspaces'),
    settings: await ask('/settings'),
    usage: await first(`/orgs/current/billing/usage?${window}&on_current_plan=true`),
  };
}

/** A run with a call of a model inside, answering an example. */
async function anExperiment(client: Client) {
  const { id: dataset } = await client.createDataset('questions', { description: 'Asked often' });
  const { id: example } = await client.createExample({
    dataset_id: dataset,
    inputs: { q: 1 },
    outputs: { a: 2 },
  });
  const { id: experiment, name } = await client.createProject({
    projectName: 'try',
    referenceDatasetId: dataset,
  });
  const root = new RunTree({
    name: 'agent',
    inputs: { question: 'why' },
    project_name: name ?? '',
    reference_example_id: example,
    client,
    metadata: { thread_id: 'a thread' },
  });
  await root.postRun();
  const model = root.createChild({ name: 'model', run_type: 'llm', inputs: { prompt: 'why' } });
  await model.postRun();
  await model.end({ text: 'so', usage_metadata: { input_tokens: 1, output_tokens: 2, total_tokens: 3 } });
  await model.patchRun();
  await root.end({ answer: 'so' });
  await root.patchRun();
  await client.awaitPendingTraceBatches();
  await client.updateProject(experiment, { endTime: new Date().toISOString() });
  return { dataset, example, experiment, root: root.id, model: model.id };
}
