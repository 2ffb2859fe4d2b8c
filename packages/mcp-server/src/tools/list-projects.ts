import { z } from 'zod';
import { flag, text, whole } from '../inputs.ts';
import { ToolProblem } from '../tool-problem.ts';
import { tool } from './tool.ts';

export const listProjects = tool({
  name: 'list_projects',
  title: 'List tracing projects',
  description:
    'Lists tracing projects, newest first. A project holds the traces of one application or deployment; its name goes into fetch_runs and get_thread_history.',
  input: z.object({
    limit: whole('How many projects at most.', { min: 1, max: 100, fallback: 5 }),
    project_name: text('Only projects whose name contains this.'),
    more_info: flag('Whole records with statistics instead of names and ids.'),
    reference_dataset_id: text('Only experiments on this dataset.'),
    reference_dataset_name: text('Not built yet.'),
  }),
  output: z.object({ projects: z.array(z.looseObject({ name: z.string() })) }).loose(),
  run: async (input, api) => {
    if (input.reference_dataset_name !== undefined)
      throw new ToolProblem(
        'not_implemented',
        'Datasets can not be found by name yet.',
        'Use reference_dataset_id, or leave the filter out.',
      );
    const sessions = await api.listSessions({
      query: {
        limit: input.limit,
        include_stats: input.more_info === true ? 'true' : 'false',
        ...(input.project_name === undefined ? {} : { name_contains: input.project_name }),
        ...(input.reference_dataset_id === undefined
          ? { reference_free: 'true' }
          : { reference_dataset: input.reference_dataset_id }),
      },
    });
    if (input.more_info === true) return { projects: sessions };
    return {
      projects: sessions.map(({ id, name, extra }) => {
        const deployment = (extra?.['metadata'] as { deployment_id?: unknown } | undefined)?.deployment_id;
        return {
          name,
          project_id: id,
          ...(typeof deployment === 'string' ? { agent_deployment_id: deployment } : {}),
        };
      }),
    };
  },
});
