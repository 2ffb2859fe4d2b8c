import { useParams, useSearch } from '@tanstack/react-router';
import { type Search, textIn } from '../../router/search.ts';

/** What stands behind the `?` of the addresses of annotation queues. */

export const queuesSearch = (search: Search) => ({ q: textIn(search, 'q') });
/** The item that is reviewed. */
export const queueSearch = (search: Search) => ({ item: textIn(search, 'item') });

export const useQueuesSearch = () => queuesSearch(useSearch({ strict: false }));
export const useQueueSearch = () => queueSearch(useSearch({ strict: false }));
export const useQueueId = (): string => String(useParams({ strict: false }).queue);
