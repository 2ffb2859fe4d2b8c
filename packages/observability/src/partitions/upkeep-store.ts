/**
 * How the server tidies partitions. Analyzing what agents write took it a seventh of the time of taking it in: it reads whole
 * documents to learn how often each occurs, which nobody asks, and while a week is young it begins anew every few seconds.
 */

/** Hot rows are updated when a run ends: room in the page keeps that update out of the indexes. */
export const STORAGE =
  'fillfactor = 85, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_threshold = 5000, autovacuum_analyze_scale_factor = 0.25';

/** Columns by which nothing is found, by table. */
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
 * Columns of which a smaller sample says as much: what is frequent in it is what matters. Of a sample all columns get the
 * same rows, as many as the most exact of them asks for.
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
