import type { SeriesQuery } from '@roadstead/contracts/observability';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { control, traces } from '../../api/clients.ts';
import { mayDo } from '../../session/session.ts';
import type { PeriodName } from './monitoring-rules.ts';
import { periods } from './monitoring-rules.ts';

/** What is looked at. */
export interface Question {
  readonly project: string | undefined;
  readonly period: PeriodName;
  readonly by: NonNullable<SeriesQuery['group_by']>['attribute'] | undefined;
  readonly runs: 'roots' | 'all';
  readonly filter: string | undefined;
}

const REFRESH_MS = 30_000;

/** Figures are asked anew each half minute, over a period that ends now. */
export const seriesQuery = ({ project, period, by, runs, filter }: Question) =>
  queryOptions({
    queryKey: ['series', project, period, by, runs, filter],
    queryFn: ({ signal }) => {
      const { ms, bucket_s } = periods.find(({ name }) => name === period) ?? periods[2];
      const now = Date.now();
      return traces.querySeries({
        body: {
          start_time: new Date(now - ms).toISOString(),
          end_time: new Date(now).toISOString(),
          bucket_s,
          runs,
          select: [
            'latency',
            'first_token',
            'tokens',
            'cost',
            ...(by === undefined ? ['feedback' as const] : []),
          ],
          ...(project !== undefined && { project_ids: [project] }),
          ...(filter !== undefined && { filter }),
          ...(by !== undefined && { group_by: { attribute: by } }),
        },
        signal,
      });
    },
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });

export interface Switch {
  readonly at_ms: number;
  readonly label: string;
}

/** When deployments moved to another revision: those whose traces are looked at, or all. */
export const switchesQuery = ({ project, period }: Pick<Question, 'project' | 'period'>) =>
  queryOptions({
    queryKey: ['revision switches', project, period],
    queryFn: async ({ signal }): Promise<Switch[]> => {
      if (!mayDo('deployments:read')) return [];
      const { ms } = periods.find(({ name }) => name === period) ?? periods[2];
      const [{ resources }, { items }] = await Promise.all([
        control.listDeployments({ query: { limit: 100 }, signal }),
        control.listEvents({
          query: {
            kind: 'revision.status',
            to: 'DEPLOYED',
            since: new Date(Date.now() - ms).toISOString(),
            page_size: 100,
          },
          signal,
        }),
      ]);
      const names = new Map(
        resources
          .filter(({ tracer_session_id }) => project === undefined || tracer_session_id === project)
          .map(({ id, name }) => [id, name]),
      );
      return items.flatMap(({ at, deployment_id }) => {
        const name = deployment_id === null ? undefined : names.get(deployment_id);
        return name === undefined ? [] : [{ at_ms: Date.parse(at), label: `${name} got a new revision` }];
      });
    },
    staleTime: REFRESH_MS,
  });
