import type { AuthUser } from './auth.ts';

/** The state of threads and the shape of graphs, as engine and graph host tell each other. */

/** What a client asks of a graph instead of giving it input. */
export interface RunCommand {
  readonly resume?: unknown;
  /** Values as if a node had returned them. */
  readonly update?: unknown;
  readonly goto?: unknown;
}

/** A checkpoint of a thread. */
export interface CheckpointRef {
  readonly checkpoint_id?: string | null;
  readonly checkpoint_ns?: string;
  readonly checkpoint_map?: Readonly<Record<string, string>> | null;
}

/** A thread, and the graph that its state belongs to. */
export interface StateRef {
  readonly thread_id: string;
  readonly graph_id: string;
  readonly configurable?: Readonly<Record<string, unknown>>;
  readonly user?: AuthUser;
}

export interface StateUpdate {
  readonly values?: unknown;
  readonly command?: RunCommand;
  readonly as_node?: string;
}

/** As the LangGraph API shows it; values are JSON, messages as LangChain writes them. */
export interface ThreadState {
  readonly values: unknown;
  readonly next: readonly string[];
  readonly tasks: readonly {
    readonly id: string;
    readonly name: string;
    readonly path?: readonly unknown[];
    readonly error: string | null;
    readonly interrupts: readonly RunInterrupt[];
    readonly checkpoint: CheckpointRef | null;
    readonly state: unknown;
    readonly result: unknown;
  }[];
  /** Null where the thread has no checkpoint. */
  readonly checkpoint: (CheckpointRef & { readonly thread_id: string }) | null;
  readonly parent_checkpoint: (CheckpointRef & { readonly thread_id: string }) | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** ISO 8601. */
  readonly created_at: string | null;
  readonly interrupts: readonly RunInterrupt[];
}

/** A question that a graph asks. */
export interface RunInterrupt {
  readonly id: string;
  readonly value: unknown;
  /** JSON Schema of the answer that it takes, where the graph says one. */
  readonly response_schema?: unknown;
  /** The task of the graph that asked. */
  readonly task_id?: string;
  /** What is asked for is that the caller signs in somewhere; absent: an answer. */
  readonly wants?: 'credentials';
}

/** JSON Schemas of a graph; null where none could be found. */
export interface GraphSchemas {
  readonly graph_id: string;
  readonly input_schema: Readonly<Record<string, unknown>> | null;
  readonly output_schema: Readonly<Record<string, unknown>> | null;
  readonly state_schema: Readonly<Record<string, unknown>> | null;
  readonly config_schema: Readonly<Record<string, unknown>> | null;
  readonly context_schema: Readonly<Record<string, unknown>> | null;
}

export interface GraphDrawing {
  readonly nodes: readonly Readonly<Record<string, unknown>>[];
  readonly edges: readonly Readonly<Record<string, unknown>>[];
}
