import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { ApiError } from '@roadstead/contracts';
import type { Deployment } from '@roadstead/contracts/control-plane';
import { Admission, Problem, TimeSlice } from '@roadstead/kit';
import { Evaluators } from '../../evaluators/evaluators.ts';
import { findDeployment } from '../deployments/deployment-lookup.ts';
import { fittedItem } from '../../paging/fitted-rules.ts';
import { object, requiredText, text, texts, whole } from '../input-rules.ts';
import { tool, type ToolContext } from '../tool.ts';
import { agreed, confirmInput, counted, quoted } from './acting-tool.ts';
import { openAgent } from './agent-call.ts';
import { datasetInputs, findDataset } from './dataset-inputs.ts';
import { listExamples } from './example-pages.ts';
import { runExamples } from './experiment-run.ts';
import { codesOf, MAX_EXAMPLES, type RanExample, summaryOf, uploadOf } from './experiment-rules.ts';
import type { Range } from '../list-answers.ts';

const MAX_CONCURRENCY = 8;
const MAX_SECONDS = 3600;
/** Each holds a thread. */
const MAX_AT_ONCE = 8;
/** The limit of one workspace, so that it leaves places for others. */
const MAX_OF_WORKSPACE = 2;
const UPLOAD_MS = 60_000;
const PREVIEW_CHARS = 500;

export const experimentPlaces = () => new Admission({ size: MAX_AT_ONCE, most: [MAX_OF_WORKSPACE] });
const running = experimentPlaces();

export const startExperiment = tool({
  name: 'start_experiment',
  title: 'Run an experiment',
  access: 'datasets:write',
  effect: 'acts',
  hints: { destructive: false, idempotent: false },
  description:
    'Runs a deployed agent over the examples of a dataset, scores what it answers, and records an experiment for list_experiments and compare_experiments. outputs of an evaluator are {text} of the agent’s answer and the members of its data. Also needs agents:invoke. When it is cancelled or its time is over, what was done is recorded.',
  input: z.strictObject({
    deployment: requiredText('Name or id of the deployment.'),
    ...datasetInputs,
    evaluators: object(
      'Key: JavaScript function (inputs, outputs, reference_outputs) => boolean, number or {score, comment}.',
    ),
    experiment_name: text('Its name; where taken, with an ending.', 200),
    text_input: text('Sends this input as text; else all inputs are sent as data.'),
    splits: texts('Only examples in these splits.'),
    limit: whole({ min: 1, fallback: 50, doc: `Most examples, up to ${MAX_EXAMPLES}.` }),
    offset: whole({ min: 0, fallback: 0, doc: 'How many examples to pass over.' }),
    concurrency: whole({ min: 1, fallback: 4, doc: 'Examples at a time, up to 8.' }),
    example_s: whole({ min: 1, fallback: 120, doc: 'Most seconds of an example.' }),
    max_s: whole({ min: 1, fallback: 900, doc: 'Most seconds in all, up to 3600.' }),
    assistant: text('Id of the graph, where there are several.'),
    ...confirmInput,
  }),
  output: {
    experiment_id: z.string(),
    experiment_name: z.string(),
    dataset_id: z.string(),
    examples_run: z.int(),
    examples_failed: z.int(),
    scores: z.looseObject({}).describe('By evaluator.'),
    note: z.string().optional(),
  },
  run: async (given, context) => {
    const codes = codesOf(given.evaluators);
    const deployment = await findDeployment(given.deployment, context);
    const dataset = await findDataset(given, context);
    const limit = Math.min(given.limit, MAX_EXAMPLES);
    const examples = await listExamples({ ...given, dataset_id: dataset.id, limit }, context);
    if (examples.length === 0)
      throw new Problem('not_found', 'The dataset has no such examples, so there is nothing to run.', {
        hint: 'Call list_examples to see them, or add some by edit_examples.',
      });
    const agent = await openAgent(deployment, given.assistant, context);
    using _place = placeTaken(context.workspace_id);
    await using evaluators = new Evaluators({ codes });
    await evaluators.check();
    const what = `${counted(examples.length, 'example')} of the dataset ${quoted(dataset.name)}`;
    const scored = `score the answers by ${counted(Object.keys(codes).length, 'evaluator')}`;
    await agreed(`Send ${what} to the deployed agent ${deployment.name}, and ${scored}?`, given, context);
    const began = new Date();
    const { ran, ended } = await runExamples(
      examples,
      {
        agent,
        evaluators,
        text_input: given.text_input,
        concurrency: Math.min(given.concurrency, MAX_CONCURRENCY),
        example_ms: given.example_s * 1000,
        all_ms: Math.min(given.max_s, MAX_SECONDS) * 1000,
      },
      context,
    );
    if (ran.length === 0)
      throw new Problem(
        'invalid',
        `The experiment was ${ended} before an example was done, so none is recorded.`,
      );
    const upload = uploadOf({
      name: given.experiment_name ?? suffixed(deployment.name),
      dataset_id: dataset.id,
      began,
      ran,
      metadata: metadataOf(deployment, { ran, count: examples.length, ended }),
    });
    const experiment = await record(upload, context);
    const note = noteOf({ ended, ran, count: examples.length, limit, offset: given.offset });
    return fittedItem(
      {
        experiment_id: experiment.id,
        experiment_name: experiment.name,
        dataset_id: dataset.id,
        ...summaryOf(ran),
        ...(note === undefined ? {} : { note }),
      },
      PREVIEW_CHARS,
    ) as Readonly<Record<string, unknown>>;
  },
});

const suffixed = (name: string) => `${name}-${randomBytes(4).toString('hex')}`;

/** Records under a longer name where the name is taken: the results must not be lost. */
async function record({ results, ...named }: ReturnType<typeof uploadOf>, { api }: ToolContext) {
  const rows: string[] = [];
  const slice = new TimeSlice();
  for (const row of results) {
    if (slice.isOver()) await slice.next();
    rows.push(JSON.stringify(row));
  }
  const send = async (body: object) => {
    const { experiment } = await api.uploadExperiment({
      raw: `${JSON.stringify(body).slice(0, -1)},"results":[${rows.join(',')}]}`,
      headers: { 'content-type': 'application/json' },
      // A caller that cancels wants no more results, but keeps the finished ones.
      signal: AbortSignal.timeout(UPLOAD_MS),
    });
    return experiment;
  };
  return send(named).catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.status !== 409) throw error;
    return send({ ...named, experiment_name: suffixed(named.experiment_name) });
  });
}

function placeTaken(workspace_id: string): Disposable {
  const place = running.tryTake([workspace_id]);
  if (place === undefined)
    throw new Problem('limit', 'Several experiments are being run here already.', {
      hint: 'Wait until one is done and call again.',
    });
  return place;
}

interface ExperimentEnd {
  readonly ran: readonly RanExample[];
  readonly count: number;
  readonly ended: string | undefined;
}

const metadataOf = ({ id, name, active_revision_id }: Deployment, { ran, count, ended }: ExperimentEnd) => ({
  deployment_id: id,
  deployment: name,
  revision_id: active_revision_id,
  ...(ended === undefined ? {} : { ended_early: ended, examples_run: ran.length, examples_wanted: count }),
});

function noteOf(end: ExperimentEnd & Range): string | undefined {
  const { ended, ran, count, limit, offset } = end;
  if (ended !== undefined)
    return `The experiment was ${ended}: ${ran.length} of ${counted(count, 'example')} were done and are recorded.`;
  return count === limit
    ? `These are the ${counted(count, 'example')} from ${offset}; there may be more from ${offset + count}.`
    : undefined;
}
