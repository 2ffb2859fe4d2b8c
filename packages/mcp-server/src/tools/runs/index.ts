import { fetchRuns } from './fetch-runs.ts';
import { listProjects } from './list-projects.ts';

export const runTools = [listProjects, fetchRuns];
