import { queryOptions } from '@tanstack/react-query';
import { traces } from './clients.ts';

/** The first hundred annotation queues by name, to choose one. */
export const queueNamesQuery = queryOptions({
  queryKey: ['queues', 'names'],
  queryFn: ({ signal }) =>
    traces.listAnnotationQueues({ query: { limit: 100, sort_by: 'name', sort_by_desc: 'false' }, signal }),
});
