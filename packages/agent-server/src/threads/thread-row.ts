import type { ThreadField } from '@roadstead/contracts/agent-server';

/** A thread as the database holds it, and as answers show it. */

export type TtlStrategy = 'delete' | 'keep_latest';

/** A thread's row. Columns that may be as large as users make them come as JSON text, which is passed on unchanged. */
export interface ThreadRow {
  readonly thread_id: string;
  /** The graph that its state belongs to; null as long as none is known. */
  readonly graph_id: string | null;
  readonly has_checkpoint: boolean;
  /** Whether the values are older than the last run. */
  readonly values_stale: boolean;
  readonly status: 'idle' | 'busy' | 'interrupted' | 'error';
  readonly metadata: string;
  readonly config: string;
  readonly values: string | null;
  readonly interrupts: string;
  readonly error: string | null;
  readonly extracted?: string | null;
  readonly ttl_strategy: TtlStrategy | null;
  readonly ttl_minutes: number | null;
  readonly expires_at: string | null;
  /** ISO 8601. */
  readonly created_at: string;
  readonly updated_at: string;
  readonly state_updated_at: string;
}

type ColumnField = Exclude<ThreadField, 'context'>;

const writers: Readonly<Record<ColumnField, (row: ThreadRow) => string>> = {
  thread_id: ({ thread_id }) => JSON.stringify(thread_id),
  created_at: ({ created_at }) => JSON.stringify(created_at),
  updated_at: ({ updated_at }) => JSON.stringify(updated_at),
  state_updated_at: ({ state_updated_at }) => JSON.stringify(state_updated_at),
  metadata: ({ metadata }) => metadata,
  config: ({ config }) => config,
  status: ({ status }) => JSON.stringify(status),
  values: ({ values }) => values ?? 'null',
  interrupts: ({ interrupts }) => interrupts,
  error: ({ status, error }) => (status === 'busy' || error === null ? 'null' : errorText(error)),
};

/** The name of the exception is `error` wherever the LangGraph API names one. */
function errorText(text: string): string {
  const error = JSON.parse(text) as { readonly name: string; readonly message: string };
  return JSON.stringify({ error: error.name, ...error });
}

export const ALL_FIELDS = Object.keys(writers) as readonly ColumnField[];

export interface ThreadView {
  /** The fields to show; all by default. */
  readonly select?: readonly ThreadField[] | null | undefined;
  readonly with_ttl?: boolean;
}

/** Writes a thread as JSON text, as clients of the LangGraph API read it. */
export function threadText(row: ThreadRow, { select, with_ttl = false }: ThreadView = {}): string {
  const parts = ALL_FIELDS.filter((field) => select?.includes(field) ?? true).map(
    (field) => `"${field}":${writers[field](row)}`,
  );
  if (row.extracted !== undefined) parts.push(`"extracted":${row.extracted ?? '{}'}`);
  if (with_ttl && row.ttl_strategy !== null)
    parts.push(
      `"ttl":${JSON.stringify({ strategy: row.ttl_strategy, ttl_minutes: row.ttl_minutes, expires_at: row.expires_at })}`,
    );
  return `{${parts.join()}}`;
}
