import type { usage } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/http';
import { stringify } from 'csv-stringify/sync';
import { readWorkspace, type WorkspaceSources } from '../workspaces/workspaces.ts';
import { daysBetween, startOf, usageAnswer } from './usage-rules.ts';
import { listDays, listProjectDays } from './usage-store.ts';

type UsageHandlers = Handlers<typeof usage>;
type GranularQuery = Parameters<UsageHandlers['readGranularUsage']>[0]['query'];

export function usageHandlers(options: WorkspaceSources): UsageHandlers {
  return {
    readUsage: async ({ workspace_id, query }) => {
      const days = daysBetween(query.starting_on, query.ending_before);
      return usageAnswer(await listDays(options.db, { workspace_id, ...days }), workspace_id);
    },
    readGranularUsage: async ({ workspace_id, query }) => ({
      stride: { days: 1, hours: 0 },
      usage: await granular(options, workspace_id, query),
    }),
    exportGranularUsage: async ({ workspace_id, query }) => {
      const usage = await granular(options, workspace_id, query);
      const names = Object.keys(nobody) as (keyof typeof nobody)[];
      const rows = usage.map(({ time_bucket, dimensions, traces }) => [
        time_bucket,
        ...names.map((name) => dimensions[name]),
        traces,
      ]);
      return new Response(stringify([['time_bucket', ...names, 'traces'], ...rows], written), {
        headers: {
          'content-type': 'text/csv; charset=utf-8',
          'content-disposition': 'attachment; filename="usage.csv"',
        },
      });
    },
  };
}

/** RFC 4180; a spreadsheet must not read the name of a project as a formula. */
const written = { record_delimiter: 'windows', escape_formulas: true } as const;

/** The sender of a trace is not recorded. */
const nobody = {
  user_id: null,
  user_email: null,
  api_key_id: null,
  api_key_short_key: null,
  project_id: null as string | null,
  project_name: null as string | null,
  workspace_id: null as string | null,
  workspace_name: null as string | null,
};
const UNKNOWN_PROJECT = '00000000-0000-0000-0000-000000000000';

/** The usage of the one workspace that the caller can read among those that the query names. */
async function granular({ db, workspaces }: WorkspaceSources, workspace_id: string, query: GranularQuery) {
  if (!query.workspace_ids.some((id) => id.toLowerCase() === workspace_id)) return [];
  const days = { workspace_id, ...daysBetween(query.start_time, query.end_time) };
  if (query.group_by === 'project')
    return (await listProjectDays(db, days)).map(({ day, session_id, session_name, traces }) => ({
      time_bucket: startOf(day),
      dimensions: {
        ...nobody,
        project_id: session_id === UNKNOWN_PROJECT ? null : session_id,
        project_name: session_name,
      },
      traces,
    }));
  const { name } = await readWorkspace(workspaces, workspace_id);
  const dimensions =
    query.group_by === 'workspace' ? { ...nobody, workspace_id, workspace_name: name } : nobody;
  return (await listDays(db, days)).map(({ day, traces }) => ({
    time_bucket: startOf(day),
    dimensions,
    traces,
  }));
}
