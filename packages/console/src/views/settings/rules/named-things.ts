import { queryOptions } from '@tanstack/react-query';
import { traces } from '../../../api/clients.ts';

/** The projects, datasets and queues that a rule may name; the newest hundred of each. */

const byName = ({ id, name }: { readonly id: string; readonly name: string | null }) =>
  [id, name ?? id] as const;

export const projectChoices = queryOptions({
  queryKey: ['projects', 'choices'],
  queryFn: async ({ signal }) =>
    (await traces.listSessions({ query: { reference_free: 'true', limit: 100 }, signal })).map(byName),
});

export const datasetChoices = queryOptions({
  queryKey: ['datasets', 'choices'],
  queryFn: async ({ signal }) => (await traces.listDatasets({ query: { limit: 100 }, signal })).map(byName),
});

export const queueChoices = queryOptions({
  queryKey: ['queues', 'choices'],
  queryFn: async ({ signal }) =>
    (await traces.listAnnotationQueues({ query: { limit: 100 }, signal })).map(byName),
});
