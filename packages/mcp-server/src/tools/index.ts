import { fetchRuns } from './fetch-runs.ts';
import { getThreadHistory } from './get-thread-history.ts';
import { listProjects } from './list-projects.ts';
import type { Tool } from './tool.ts';

/** Only what works is listed, in this order. */
export const tools: readonly Tool[] = [listProjects, fetchRuns, getThreadHistory];
