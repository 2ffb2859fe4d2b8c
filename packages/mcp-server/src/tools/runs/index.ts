import { fetchRuns } from './fetch-runs.ts';
import { getRun } from './get-run.ts';
import { getTraceTree } from './get-trace-tree.ts';
import { listProjects } from './list-projects.ts';

export const runTools = [listProjects, fetchRuns, getRun, getTraceTree];
