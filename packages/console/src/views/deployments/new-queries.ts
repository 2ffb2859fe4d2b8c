import { queryOptions } from '@tanstack/react-query';
import { control } from '../../api/clients.ts';

/** What one chooses from when a deployment is made. */

interface Page<T> {
  readonly items: readonly T[];
  readonly next_cursor: string | null;
}

/** All pages of a list. */
async function allOf<T>(
  read: (query: { readonly page_size: 100; readonly cursor?: string }) => Promise<Page<T>>,
) {
  const found: T[] = [];
  let cursor: string | undefined;
  for (;;) {
    const { items, next_cursor } = await read({ page_size: 100, ...(cursor !== undefined && { cursor }) });
    found.push(...items);
    if (next_cursor === null) return found;
    cursor = next_cursor;
  }
}

export const templatesQuery = queryOptions({
  queryKey: ['templates', 'choices'],
  queryFn: ({ signal }) => allOf((query) => control.listTemplates({ query, signal })),
  staleTime: 60_000,
});

export const integrationsQuery = queryOptions({
  queryKey: ['integrations', 'choices'],
  queryFn: ({ signal }) => allOf((query) => control.listIntegrations({ query, signal })),
});

/** What runs deployments. */
export const listenersQuery = queryOptions({
  queryKey: ['listeners', 'choices'],
  queryFn: async ({ signal }) => {
    const { resources } = await control.listListeners({ query: { limit: 100 }, signal });
    return resources;
  },
});
