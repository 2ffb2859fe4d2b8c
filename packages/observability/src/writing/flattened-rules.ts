import { isFlattened } from '../records/placement-rules.ts';
import { keyOf, type RequestRuns, type RunDraft } from '../records/run-merge-rules.ts';
import type { RunRow } from '../records/run-row.ts';

/** The requests that are informed of runs too deep to be placed below their parents. */

type FlatRun = Pick<RunRow, 'workspace_id' | 'run_id' | 'parent_run_id' | 'dotted_order'>;

export interface FlattenedRun {
  readonly run_id: string;
  /** The requests that sent the run; where it was sent before, those of its workspace. */
  readonly requests: ReadonlySet<number>;
}

export function flattenedAmong(
  runs: readonly FlatRun[],
  {
    drafts,
    requests,
  }: { readonly drafts: ReadonlyMap<string, RunDraft>; readonly requests: readonly RequestRuns[] },
): FlattenedRun[] {
  const latest = new Map(runs.map((run) => [keyOf(run), run]));
  const requestsOf = (workspace_id: string) =>
    requests.flatMap((request, index) => (request.workspace_id === workspace_id ? [index] : []));
  return [...latest].flatMap(([key, run]) => {
    if (!isFlattened(run)) return [];
    const { run_id, workspace_id } = run;
    return [{ run_id, requests: drafts.get(key)?.requests ?? new Set(requestsOf(workspace_id)) }];
  });
}
