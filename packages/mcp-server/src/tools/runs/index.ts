import { fetchRuns } from './fetch-runs.ts';
import { getRun } from './get-run.ts';
import { getRunStats } from './get-run-stats.ts';
import { getTraceTree } from './get-trace-tree.ts';
import { listProjects } from './list-projects.ts';
import { searchRuns } from './search-runs.ts';
import { validateFilter } from './validate-filter.ts';

export const runTools = [
  listProjects,
  fetchRuns,
  searchRuns,
  getRun,
  getTraceTree,
  getRunStats,
  validateFilter,
];
