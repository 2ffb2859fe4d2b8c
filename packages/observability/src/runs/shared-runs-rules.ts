import { privateRunFields, type RunQuery } from '@roadstead/contracts/observability';
import type { Selection } from '../reading/run-answer-rules.ts';
import { type RunSearch, runSearchOf } from '../queries/run-query-rules.ts';
import type { RunRow } from '../records/run-row.ts';
import type { InWorkspace } from '../values/keys.ts';

/** The runs that the holder of a link may see: those of one trace, or of one thread's traces. */
export type SharedRuns = InWorkspace &
  (
    | { readonly kind: 'run'; readonly trace_id: string }
    | { readonly kind: 'thread'; readonly session_id: string; readonly thread_id: string }
  );

export function isShared(shared: SharedRuns, row: RunRow): boolean {
  if (shared.kind === 'run') return row.trace_id === shared.trace_id;
  return row.session_id === shared.session_id && row.thread_id === shared.thread_id;
}

/** The search within a link: the link determines the place, whatever the query names; the rest narrows it down. */
export function sharedSearchOf(shared: SharedRuns, query: RunQuery): RunSearch {
  const asked = { ...query, id: undefined, session: undefined, trace: undefined };
  if (shared.kind === 'run') return runSearchOf({ ...asked, trace: shared.trace_id }, MAX_PAGE);
  const of_thread = `eq(thread_id, ${JSON.stringify(shared.thread_id)})`;
  const filter = asked.filter == null ? of_thread : `and(${of_thread}, ${asked.filter})`;
  return runSearchOf({ ...asked, session: [shared.session_id], filter }, MAX_PAGE);
}

const MAX_PAGE = 500;

const hidden: ReadonlySet<string> = new Set(privateRunFields);

export function withoutPrivate(selection: Selection): Selection {
  return { ...selection, fields: selection.fields.filter((name) => !hidden.has(name)) };
}
