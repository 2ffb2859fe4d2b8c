import {
  type InvalidateOptions,
  type InvalidateQueryFilters,
  QueryClient,
  type QueryKey,
} from '@tanstack/react-query';

/**
 * A query that is asked for the first time while something changes may bring what was before the change, and the library
 * would leave it at that: it asks again only where an answer is there already. So such a query begins anew.
 */
export class ConsoleQueryClient extends QueryClient {
  override async invalidateQueries<Key extends QueryKey = QueryKey>(
    filters?: InvalidateQueryFilters<Key>,
    options?: InvalidateOptions,
  ): Promise<void> {
    const { refetchType, ...which } = filters ?? {};
    if (refetchType !== 'none')
      await this.cancelQueries({
        ...which,
        type: 'active',
        fetchStatus: 'fetching',
        predicate: (query) => query.state.data === undefined,
      });
    await super.invalidateQueries(filters, options);
  }
}
