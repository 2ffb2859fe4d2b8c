import type { FeedbackRow } from './feedback-row.ts';

/**
 * The common form of every ingest dialect: one list of operations, in the order in which they were sent. The store
 * knows no dialects.
 */

/** A run is sent in two halves: `post` when it begins, `patch` when it ends or changes. */
export type Verb = 'post' | 'patch';

/** The largest number of runs of a trace; further runs are refused, and none is nested deeper. */
export const MAX_RUNS_PER_TRACE = 25_000;

/** The fields whose bytes are kept as they came, beside the hot row. */
export const payloadKinds = ['inputs', 'outputs', 'events', 'extra', 'serialized', 'error'] as const;
export type PayloadKind = (typeof payloadKinds)[number];
export type Payloads<T> = Readonly<Partial<Record<PayloadKind, T>>>;

/** Amounts by their kind: `cache_read`, `audio`, `reasoning`, … */
export type Details = Readonly<Record<string, number>>;

/** The amounts that model calls use, which are added up for traces, projects and threads. */
export const tokenNames = ['prompt_tokens', 'completion_tokens', 'total_tokens'] as const;
export const costNames = ['prompt_cost', 'completion_cost', 'total_cost'] as const;
export type TokenName = (typeof tokenNames)[number];
export type CostName = (typeof costNames)[number];
export const detailNames = [
  'prompt_token_details',
  'completion_token_details',
  'prompt_cost_details',
  'completion_cost_details',
] as const;
export type DetailName = (typeof detailNames)[number];

/** Costs as decimal text. */
export interface Costs {
  readonly prompt_cost?: string | undefined;
  readonly completion_cost?: string | undefined;
  readonly total_cost?: string | undefined;
  readonly prompt_cost_details?: Details | undefined;
  readonly completion_cost_details?: Details | undefined;
}

/** Usage with the costs that the client sent. */
export interface Usage extends Costs {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_token_details?: Details | undefined;
  readonly completion_token_details?: Details | undefined;
}

/** The names under which calls have their model in `invocation_params`; a price may look at some of them only. */
export const modelPaths = ['model', 'model_name', 'model_id', 'model_path', 'endpoint_name'] as const;
export type ModelPath = (typeof modelPaths)[number];

/** All names under which runs name their model; the first one that a run has counts. */
export const modelNames = ['ls_model_name', ...modelPaths] as const;

/** The model that a run called, under the names that the run uses for it. */
export interface ModelNames {
  readonly provider?: string | undefined;
  readonly ls_model_name?: string | undefined;
  readonly model?: string | undefined;
  readonly model_name?: string | undefined;
  readonly model_id?: string | undefined;
  readonly model_path?: string | undefined;
  readonly endpoint_name?: string | undefined;
}

/** A tracing project by id, by name, or both; the id wins where it exists. */
export interface SessionRef {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
}

/**
 * The fields of a run's hot row. Instants are as `instantOf` writes them; an absent field is one that the operation
 * does not mention.
 */
export interface RunFields {
  readonly trace_id?: string;
  readonly dotted_order?: string;
  readonly parent_run_id?: string;
  readonly name?: string;
  readonly run_type?: string;
  readonly start_time?: string;
  readonly end_time?: string;
  readonly first_token_time?: string;
  readonly session?: SessionRef;
  readonly thread_id?: string;
  readonly reference_example_id?: string;
  readonly tags?: readonly string[];
  readonly inputs_preview?: string;
  readonly outputs_preview?: string;
  readonly error_preview?: string;
  readonly usage?: Usage;
  readonly model?: ModelNames;
}

/**
 * The source of a run's fields in OpenTelemetry, which may send them several times: a span that has ended, one that
 * has not, or log records in it. Their fields are combined; the ended span wins, in whatever order they arrive.
 */
type Teller = 'span' | 'open_span' | 'logs';

export interface RunOperation {
  readonly verb: Verb;
  readonly run_id: string;
  /** Whether the run itself was sent, and not only one of its payloads. */
  readonly has_main: boolean;
  readonly fields: RunFields;
  /** Valid JSON, byte for byte as it was sent; later on packed (`payload-packing.ts`). */
  readonly payloads: Payloads<Uint8Array>;
  /** The source in OpenTelemetry; absent for other dialects. */
  readonly told_by?: Teller;
}

/** Feedback as it was sent; the store finds out whether its run exists. */
export type FeedbackOperation = Omit<
  FeedbackRow,
  'workspace_id' | 'created_at' | 'modified_at' | 'user_id'
> & {
  /** When it was given; the time of arrival by default. */
  readonly created_at: string | null;
  /** Whether its trace is to be kept longer. */
  readonly extends_retention: boolean;
  /** The size of what was sent. */
  readonly bytes: number;
};

export interface AttachmentOperation {
  readonly run_id: string;
  readonly name: string;
  readonly content_type: string;
  readonly content: Uint8Array;
}

export interface Operations {
  readonly runs: readonly RunOperation[];
  readonly feedback: readonly FeedbackOperation[];
  readonly attachments: readonly AttachmentOperation[];
}
