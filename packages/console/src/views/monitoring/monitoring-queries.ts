import type { SeriesQuery } from '@roadstead/contracts/observability';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { control, traces } from '../../api/clients.ts';
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
          select: ['latency', 'first_token', 'tokens', 'cost', 'feedback'],
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

/** The project that has the runs of a deployment; null where there is none yet. */
export const deploymentProjectQuery = (deployment_id: string) =>
  queryOptions({
    queryKey: ['deployments', 'project', deployment_id],
    queryFn: async ({ signal }) => {
      const { tracer_session_id } = await control.readDeployment({ params: { deployment_id }, signal });
      return { project: tracer_session_id };
    },
    enabled: deployment_id !== '',
    refetchInterval: REFRESH_MS,
  });
