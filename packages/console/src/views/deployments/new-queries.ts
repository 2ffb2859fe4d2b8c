import { queryOptions } from '@tanstack/react-query';
import { control } from '../../api/clients.ts';
import { allRows } from '../../api/pages.ts';

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

const PAGE = { size: 100, at_once: 4 };

/** What runs deployments. */
export const listenersQuery = queryOptions({
  queryKey: ['listeners', 'choices'],
  queryFn: ({ signal }) =>
    allRows(
      async (offset) =>
        (await control.listListeners({ query: { limit: PAGE.size, offset }, signal })).resources,
      PAGE,
    ),
});
