import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { BatchedQuestions } from './batched-questions.ts';
import { traces } from './clients.ts';

/** How many are offered at once; the others are found by their name. */
export const MOST_CHOICES = 100;

/** The projects that one chooses among, those with the newest runs first; with words only those whose names have them. */
export const projectsToChoose = (words: string) =>
  queryOptions({
    queryKey: ['projects', 'choices', words],
    queryFn: async ({ signal }) => {
      const found = await traces.listSessions({
        query: {
          limit: MOST_CHOICES,
          reference_free: 'true',
          sort_by: 'last_run_start_time',
          sort_by_desc: 'true',
          ...(words !== '' && { name_contains: words }),
        },
        signal,
      });
      return found.map(({ id, name }) => ({ id, name }));
    },
    staleTime: 60_000,
    placeholderData: keepPreviousData,
  });

export const projectChoiceQuery = projectsToChoose('');

const names = new BatchedQuestions(MOST_CHOICES, async (ids) => {
  const found = await traces.listSessions({ query: { id: [...ids], limit: MOST_CHOICES } });
  return new Map(found.map(({ id, name }) => [id, name]));
});

/** The name of a project, however many the workspace has; null where there is none of this id. */
export const projectNameQuery = (id: string) =>
  queryOptions({
    queryKey: ['projects', 'name', id],
    queryFn: async () => (await names.ask(id)) ?? null,
    enabled: id !== '',
    staleTime: 60_000,
  });
