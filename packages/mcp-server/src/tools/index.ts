import { fetchRuns } from './fetch-runs.ts';
import { getThreadHistory } from './get-thread-history.ts';
import { listProjects } from './list-projects.ts';
import type { Tool } from './tool.ts';

/** Every tool, in the order in which they are listed; one that doesn't work isn't here. */
export const tools: readonly Tool[] = [listProjects, fetchRuns, getThreadHistory];
