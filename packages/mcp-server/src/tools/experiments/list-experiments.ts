import { z } from 'zod';
import type { TracerSession } from '@roadstead/contracts/observability';
import { Problem } from '@roadstead/kit';
import { findDatasetId, requireDataset } from '../datasets/dataset-lookup.ts';
import { text, uuid } from '../input-rules.ts';
import { listAnswer, listInputs, listOutput, readSome, membersOf } from '../list-answers.ts';
import { agentDeployment } from '../runs/project-record-rules.ts';
import { tool } from '../tool.ts';

export const listExperiments = tool({
  name: 'list_experiments',
  title: 'List experiments',
  access: 'traces:read',
  description:
    'Lists experiments on a dataset, newest first, with feedback, latency, cost and errors over all of their runs. experiment_id goes into fetch_runs as project_name.',
  input: z.strictObject({
    reference_dataset_id: uuid('Needed, or the name.'),
    reference_dataset_name: text('In place of the id.'),
    ...listInputs(5),
    project_name: text('A part of the experiment’s name.'),
  }),
  output: {
    experiments: z.array(z.looseObject({ name: z.string(), experiment_id: z.string() })),
    ...listOutput,
  },
  run: async (given, context) => {
    const dataset = await findDatasetId(
      { dataset_id: given.reference_dataset_id, dataset_name: given.reference_dataset_name },
      { ...context, inputs: ['reference_dataset_id', 'reference_dataset_name'] },
    );
    if (dataset === undefined)
      throw new Problem('invalid', 'Neither reference_dataset_id nor reference_dataset_name is given.', {
        hint: 'Give one of them; list_datasets shows the datasets there are.',
      });
    const { items, has_more } = await readSome(
      (page) =>
        context.api.listSessions({
          query: {
            ...page,
            reference_free: 'false',
            reference_dataset: [dataset],
            include_stats: 'true',
            ...(given.project_name === undefined ? {} : { name_contains: given.project_name }),
          },
          signal: context.signal,
        }),
      given,
    );
    if (items.length === 0 && given.reference_dataset_id !== undefined)
      await requireDataset(dataset, { ...context, input: 'reference_dataset_id' });
    return listAnswer({
      key: 'experiments',
      items: items.map(experimentRecord),
      has_more,
      offset: given.offset,
    });
  },
});

const figures = ['run_count', 'error_rate', 'total_tokens', 'start_time', 'description'] as const;

function experimentRecord(project: TracerSession) {
  const { metadata } = (project.extra ?? {}) as { readonly metadata?: Readonly<Record<string, unknown>> };
  return {
    name: project.name,
    experiment_id: project.id,
    ...membersOf(project, ['feedback_stats']),
    ...numbers({
      latency_p50_seconds: project.latency_p50,
      latency_p99_seconds: project.latency_p99,
      total_cost: project.total_cost,
      prompt_cost: project.prompt_cost,
      completion_cost: project.completion_cost,
    }),
    ...membersOf(project, figures),
    ...membersOf(metadata ?? {}, ['dataset_version', 'num_repetitions']),
    ...agentDeployment(project),
  };
}

/** Other servers write costs as decimal texts. */
const numbers = (values: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      const number = typeof value === 'string' && value !== '' ? Number(value) : value;
      return typeof number === 'number' && Number.isFinite(number) ? [[name, number]] : [];
    }),
  );
