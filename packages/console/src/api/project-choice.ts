import { queryOptions } from '@tanstack/react-query';
import { traces } from './clients.ts';

/** The projects that one chooses among, those with the newest runs first. */
export const projectChoiceQuery = queryOptions({
  queryKey: ['projects', 'choices'],
  queryFn: async ({ signal }) => {
    const found = await traces.listSessions({
      query: { limit: 100, reference_free: 'true', sort_by: 'last_run_start_time', sort_by_desc: 'true' },
      signal,
    });
    return found.map(({ id, name }) => ({ id, name }));
  },
  staleTime: 60_000,
});
