import { z } from 'zod';
import type { TracerSession } from '@roadstead/contracts/observability';
import { Problem } from '@roadstead/kit';
import { bounded } from '../../paging/shown-item-rules.ts';
import { flag, text, uuid, whole } from '../input-rules.ts';
import { projectsIn } from './project-lookup.ts';
import { tool } from '../tool.ts';

const MAX_PROJECTS = 100;

export const listProjects = tool({
  name: 'list_projects',
  title: 'List tracing projects',
  access: 'traces:read',
  description:
    'Lists tracing projects, newest first. A project holds the traces of one application or deployment; its name or id goes into fetch_runs and get_thread_history. Experiments on a dataset are listed only with reference_dataset_id.',
  input: z.strictObject({
    limit: whole({ min: 1, fallback: 5, doc: 'Most projects, up to 100.' }),
    project_name: text('A part of the name.'),
    more_info: flag('Whole records, with statistics.'),
    reference_dataset_id: uuid('Only experiments on this dataset.'),
    reference_dataset_name: text('Finding a dataset by its name is not built yet; use reference_dataset_id.'),
  }),
  output: {
    projects: z.array(
      z.looseObject({
        name: z.string(),
        project_id: z.string().optional(),
        agent_deployment_id: z.string().optional(),
      }),
    ),
  },
  run: async (given, { api, signal }) => {
    if (given.reference_dataset_name !== undefined)
      throw new Problem('not_implemented', 'Finding a dataset by its name is not built yet.', {
        hint: 'Use reference_dataset_id, or leave the dataset out.',
      });
    const answer = await api.listSessions({
      query: {
        limit: Math.min(given.limit, MAX_PROJECTS),
        include_stats: given.more_info === true ? 'true' : 'false',
        ...(given.project_name === undefined ? {} : { name_contains: given.project_name }),
        ...(given.reference_dataset_id === undefined
          ? { reference_free: 'true' }
          : { reference_dataset: [given.reference_dataset_id] }),
      },
      signal,
    });
    const projects = projectsIn(answer);
    return { projects: given.more_info === true ? projects.map(bounded) : projects.map(briefly) };
  },
});

function briefly({ id, name, extra }: TracerSession) {
  const agent_deployment_id = deploymentIn(extra);
  return { name, project_id: id, ...(agent_deployment_id === undefined ? {} : { agent_deployment_id }) };
}

/** Who makes a project for a deployment writes its id somewhere into `extra`. */
function deploymentIn(extra: unknown, depth = 0): string | undefined {
  if (typeof extra !== 'object' || extra === null || depth > 4) return undefined;
  const { deployment_id } = extra as { deployment_id?: unknown };
  if (typeof deployment_id === 'string') return deployment_id;
  return Object.values(extra)
    .map((inner: unknown) => deploymentIn(inner, depth + 1))
    .find((id) => id !== undefined);
}
