import type { runStats } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/http';
import { runSearchOf } from '../queries/run-query-rules.ts';
import type { RunSearching } from '../queries/run-search-work.ts';
import { problemsOf, statsQueryOf } from './run-stats-rules.ts';
import { readRunStats } from './run-stats-work.ts';

type RunStatsHandlers = Handlers<typeof runStats>;

export function runStatsHandlers(searching: RunSearching): RunStatsHandlers {
  return {
    validateRunQuery: async ({ body }) => {
      const errors = problemsOf(() => runSearchOf(body));
      return { valid: errors.length === 0, errors };
    },
    readRunStats: async ({ body, workspace_id }) => {
      const asked = statsQueryOf(body);
      const stats = await readRunStats(searching, { workspace_id, asked });
      return asked.grouping === undefined ? (stats.get('') ?? {}) : Object.fromEntries(stats);
    },
  };
}
