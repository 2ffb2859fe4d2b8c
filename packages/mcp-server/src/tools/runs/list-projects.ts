import { z } from 'zod';
import type { TracerSession } from '@roadstead/contracts/observability';
import { findDatasetId, requireDataset } from '../datasets/dataset-lookup.ts';
import { flagOr, text, uuid } from '../input-rules.ts';
import { listAnswer, listInputs, listOutput, readSome, membersOf } from '../list-answers.ts';
import { tool } from '../tool.ts';
import { agentDeployment } from './project-record-rules.ts';

export const listProjects = tool({
  name: 'list_projects',
  title: 'List tracing projects',
  access: 'traces:read',
  description:
    'Lists tracing projects, newest first. A project holds the traces of one application or deployment; its name or id goes into fetch_runs and get_thread_history. Experiments are projects too, listed only with a reference_dataset.',
  input: z.strictObject({
    ...listInputs(5),
    project_name: text('A part of the name.'),
    more_info: flagOr(false, 'Whole records, with statistics.'),
    reference_dataset_id: uuid('Only experiments on this dataset.'),
    reference_dataset_name: text('The same by its name.'),
  }),
  output: {
    projects: z.array(z.looseObject({ name: z.string() })),
    ...listOutput,
  },
  run: async (given, context) => {
    const { api, signal } = context;
    const reference = await findDatasetId(
      { dataset_id: given.reference_dataset_id, dataset_name: given.reference_dataset_name },
      { ...context, inputs: ['reference_dataset_id', 'reference_dataset_name'] },
    );
    const { items, has_more } = await readSome(
      (page) =>
        api.listSessions({
          query: {
            ...page,
            include_stats: given.more_info ? 'true' : 'false',
            ...(given.project_name === undefined ? {} : { name_contains: given.project_name }),
            ...(reference === undefined ? { reference_free: 'true' } : { reference_dataset: [reference] }),
          },
          signal,
        }),
      given,
    );
    if (items.length === 0 && given.reference_dataset_id !== undefined)
      await requireDataset(given.reference_dataset_id, { ...context, input: 'reference_dataset_id' });
    const record = given.more_info ? whole : briefly;
    return listAnswer({
      key: 'projects',
      items: items.map((project) => record(project)),
      has_more,
      offset: given.offset,
    });
  },
});

const briefly = (project: TracerSession): object => ({
  name: project.name,
  project_id: project.id,
  ...agentDeployment(project),
});
const whole = (project: TracerSession): object => ({
  ...membersOf(project, Object.keys(project) as (keyof TracerSession)[]),
  ...agentDeployment(project),
});
