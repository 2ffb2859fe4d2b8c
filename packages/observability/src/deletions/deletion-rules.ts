import { columnText } from '../values/column-text-rules.ts';
import { malformed } from '@roadstead/kit';
import { entryText, termOf } from '../search/term-rules.ts';
import type { DeletionRow } from './deletion-row.ts';

/**
 * The traces of a deletion: some of a project, those with a run that has one of the entries of metadata, or old ones.
 */
export type DeletionScope =
  | { readonly by: 'ids'; readonly session_id: string; readonly trace_ids: readonly string[] }
  | {
      readonly by: 'metadata';
      readonly entries: readonly (readonly [key: string, value: string])[];
      readonly terms: readonly number[];
    }
  /** Long-lived traces that arrived in this week or before it. */
  | { readonly by: 'age'; readonly last_week: string };

type Scalar = string | number | boolean;

/** @throws Problem `malformed` unless exactly one of the two is given. */
export function deletionScopeOf(body: {
  readonly session_id?: string | null | undefined;
  readonly trace_ids?: readonly string[] | null | undefined;
  readonly metadata?: Readonly<Record<string, Scalar | readonly Scalar[]>> | null | undefined;
}): DeletionScope {
  const { session_id, trace_ids, metadata } = body;
  if (metadata != null) {
    if (trace_ids != null) throw malformed(['body', 'metadata'], 'excludes trace_ids');
    const entries = Object.entries(metadata).flatMap(([key, values]) =>
      [values].flat().map((value) => [columnText(key), entryText(columnText(String(value)))] as const),
    );
    if (entries.length === 0) throw malformed(['body', 'metadata'], 'names no entry');
    return {
      by: 'metadata',
      entries,
      terms: entries.map(([key, value]) => termOf('metadata_entry', key, value)),
    };
  }
  if (session_id == null) throw malformed(['body', 'session_id'], 'or metadata is required', 'missing');
  if (trace_ids == null) throw malformed(['body', 'trace_ids'], 'or metadata is required', 'missing');
  return {
    by: 'ids',
    session_id: session_id.toLowerCase(),
    trace_ids: trace_ids.map((id) => id.toLowerCase()),
  };
}

export function deletionAnswer(row: DeletionRow) {
  const { id, traces, remaining_traces, removed, created_at, completed_at } = row;
  const { runs = 0, payloads = 0, attachments = 0, feedback = 0 } = removed;
  return {
    id,
    status: completed_at === null ? ('running' as const) : ('completed' as const),
    created_at,
    completed_at,
    traces,
    remaining_traces,
    removed: { traces: traces - remaining_traces, runs, payloads, attachments, feedback },
  };
}
