import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { traces } from '../../api/clients.ts';
import { whileOnePage } from '../../api/pages.ts';

const REFRESH_MS = 10_000;

export const alertsQuery = infiniteQueryOptions({
  queryKey: ['alerts', 'list'],
  queryFn: ({ pageParam, signal }) =>
    traces.listAlerts({
      query: { page_size: 50, ...(pageParam !== undefined && { cursor: pageParam }) },
      signal,
    }),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  refetchInterval: whileOnePage(REFRESH_MS),
});

export const alertQuery = (alert_id: string) =>
  queryOptions({
    queryKey: ['alert', alert_id],
    queryFn: ({ signal }) => traces.readAlert({ params: { alert_id }, signal }),
    refetchInterval: REFRESH_MS,
  });

export const alertLogQuery = (alert_id: string) =>
  infiniteQueryOptions({
    queryKey: ['alert log', alert_id],
    queryFn: ({ pageParam, signal }) =>
      traces.listAlertLog({
        params: { alert_id },
        query: { page_size: 50, ...(pageParam !== undefined && { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    refetchInterval: whileOnePage(REFRESH_MS),
  });
