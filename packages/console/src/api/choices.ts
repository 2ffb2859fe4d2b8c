import { choiceSource } from './choice-source.ts';
import { control, traces } from './clients.ts';

/** What people choose by name in forms and filters. */

/** Those with the newest runs first; no experiments. */
export const projectChoices = choiceSource({
  key: 'projects',
  needs: 'traces:read',
  find: (query, signal) =>
    traces.listSessions({
      query: { ...query, reference_free: 'true', sort_by: 'last_run_start_time', sort_by_desc: 'true' },
      signal,
    }),
  read: ({ ids, limit }) => traces.listSessions({ query: { id: ids, limit } }),
});

/** The newest first. */
export const deploymentChoices = choiceSource({
  key: 'deployments',
  needs: 'deployments:read',
  find: async (query, signal) => (await control.listDeployments({ query, signal })).resources,
  read: async ({ ids, limit }) =>
    (await control.listDeployments({ query: { deployment_ids: ids, limit } })).resources,
});

export const datasetChoices = choiceSource({
  key: 'datasets',
  needs: 'datasets:read',
  find: (query, signal) =>
    traces.listDatasets({
      query: { ...query, sort_by: 'name', sort_by_desc: 'false', exclude: ['example_count'] },
      signal,
    }),
  read: ({ ids, limit }) => traces.listDatasets({ query: { id: ids, limit, exclude: ['example_count'] } }),
});

export const queueChoices = choiceSource({
  key: 'queues',
  needs: 'feedback:read',
  find: (query, signal) =>
    traces.listAnnotationQueues({ query: { ...query, sort_by: 'name', sort_by_desc: 'false' }, signal }),
  read: (query) => traces.listAnnotationQueues({ query }),
});
