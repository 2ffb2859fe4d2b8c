/**
 * Settings for the server's upkeep of partitions. Analyzing what agents write took a seventh of the time of ingesting
 * it: it reads whole documents to learn how often each occurs, which no query needs, and while a week is young it
 * starts again every few seconds.
 */

/** Hot rows are updated when a run ends: free space in the page keeps that update out of the indexes. */
export const STORAGE =
  'fillfactor = 85, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_threshold = 5000, autovacuum_analyze_scale_factor = 0.25';

/** Columns that no query searches, by table. */
const UNASKED = {
  runs: [
    'inputs_preview',
    'outputs_preview',
    'error_preview',
    'dotted_order',
    'prompt_token_details',
    'completion_token_details',
    'prompt_cost_details',
    'completion_cost_details',
    'model',
  ],
  payloads: ['inputs', 'outputs', 'events', 'extra', 'serialized', 'error'],
  search: ['counted', 'metadata', 'io'],
} as const;

/**
 * Columns for which a smaller sample suffices, since only frequent values matter. All columns get the same sample, as
 * large as the most exact of them demands.
 */
const ROUGHLY = {
  runs: [],
  payloads: [],
  search: [
    'workspace_id',
    'run_id',
    'tier',
    'week',
    'trace_id',
    'session_id',
    'start_time',
    'terms',
    'words',
  ],
} as const;

/** The clauses of an `alter table` for a table of runs, payloads or search rows. */
export function statisticsOf(parent: keyof typeof UNASKED): string {
  return [
    ...UNASKED[parent].map((column) => `alter ${column} set statistics 0`),
    ...ROUGHLY[parent].map((column) => `alter ${column} set statistics 25`),
  ].join(', ');
}
