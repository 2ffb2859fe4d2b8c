/**
 * The little of LangGraph that the host touches, by shape: the code itself is the user's own copy, resolved from
 * their graph, so no type and no class of it can be imported here.
 */

export interface RunnableConfig {
  readonly configurable?: Readonly<Record<string, unknown>>;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly context?: unknown;
}

export interface CompiledGraph {
  /** What `withConfig` gave it. */
  readonly config?: RunnableConfig;
  /** The `description` given to `compile`. */
  readonly description?: string;
  readonly channels?: Readonly<Record<string, unknown>>;
  readonly inputChannels?: string | readonly string[];
  /** The fields of the output schema; one name where the value itself is the output. */
  readonly outputChannels?: string | readonly string[];
  stream(input: unknown, options: Readonly<Record<string, unknown>>): Promise<AsyncIterable<unknown>>;
  streamEvents(input: unknown, options: Readonly<Record<string, unknown>>): AsyncIterable<StreamedEvent>;
  getState(config: RunnableConfig, options?: { readonly subgraphs?: boolean }): Promise<StateSnapshot>;
  getStateHistory(
    config: RunnableConfig,
    options: {
      readonly limit: number;
      readonly before?: RunnableConfig;
      readonly filter?: Readonly<Record<string, unknown>>;
    },
  ): AsyncIterable<StateSnapshot>;
  updateState(config: RunnableConfig, values: unknown, as_node?: string): Promise<RunnableConfig>;
  /** All fields of the state. */
  readonly streamChannelsAsIs?: string | readonly string[];
  /** What the graph was compiled from. */
  readonly builder?: {
    readonly _inputDefinition?: unknown;
    readonly _schemaDefinitions?: ReadonlyMap<unknown, object>;
    /** The schema of the context. */
    readonly _configRuntimeSchema?: StandardSchema;
  };
  getSubgraphsAsync?(namespace?: string, recurse?: boolean): AsyncIterable<readonly [string, CompiledGraph]>;
  getSubgraphs?(namespace?: string, recurse?: boolean): Iterable<readonly [string, CompiledGraph]>;
  getGraphAsync?(config: { readonly xray: boolean | number }): Promise<Drawable>;
  getGraph?(config: { readonly xray: boolean | number }): Drawable;
  /** Came after 0.2. */
  bulkUpdateState?(
    config: RunnableConfig,
    supersteps: readonly {
      readonly updates: readonly { readonly values: unknown; readonly asNode?: string }[];
    }[],
  ): Promise<RunnableConfig>;
}

interface Drawable {
  toJSON(): {
    readonly nodes: readonly Readonly<Record<string, unknown>>[];
    readonly edges: readonly Readonly<Record<string, unknown>>[];
  };
}

/** What `streamEvents` gives, version 2. */
export interface StreamedEvent {
  readonly event: string;
  readonly run_id: string;
  readonly tags?: readonly string[];
  readonly data: { readonly chunk?: unknown };
}

export interface StateSnapshot {
  readonly values: unknown;
  readonly next: readonly string[];
  readonly tasks?: readonly SnapshotTask[];
  readonly config?: RunnableConfig;
  readonly parentConfig?: RunnableConfig;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** ISO 8601; absent where the thread has no such checkpoint. */
  readonly createdAt?: string;
}

export interface SnapshotTask {
  readonly id: string;
  readonly name: string;
  readonly path?: readonly unknown[];
  readonly error?: unknown;
  readonly interrupts?: readonly Interrupt[];
  /** The state of the task's subgraph, or where it is found. */
  readonly state?: StateSnapshot | RunnableConfig;
  readonly result?: unknown;
}

export interface Serde {
  dumpsTyped(value: unknown): Promise<[string, Uint8Array]>;
  loadsTyped(type: string, bytes: Uint8Array | string): Promise<unknown>;
}

export interface Checkpoint {
  readonly v: number;
  readonly id: string;
  readonly channel_values: Readonly<Record<string, unknown>>;
  readonly channel_versions: Record<string, number | string>;
}

export interface SavedTuple {
  readonly config: RunnableConfig;
  readonly checkpoint: Checkpoint;
  readonly metadata: unknown;
  readonly parentConfig: RunnableConfig | undefined;
  readonly pendingWrites: readonly (readonly [string, string, unknown])[];
}

/** `@langchain/langgraph-checkpoint` as the user's langgraph sees it; what its first versions lack is optional. */
export interface CheckpointModule {
  readonly BaseCheckpointSaver: new (serde?: Serde) => {
    serde: Serde;
    getNextVersion(current: unknown): number;
  };
  readonly BaseStore?: new () => object;
  readonly AsyncBatchedStore?: { readonly prototype: object };
  readonly WRITES_IDX_MAP?: Readonly<Record<string, number>>;
  readonly TASKS?: string;
  readonly emptyCheckpoint: (this: void) => { readonly v: number };
  readonly maxChannelVersion: (this: void, ...versions: (number | string)[]) => number | string;
}

/** The value that a node asks the person with. */
export interface Interrupt {
  readonly id?: string;
  /** The name that 0.3 has for the id. */
  readonly interrupt_id?: string;
  readonly value: unknown;
  /** JSON Schema, of `interrupt(value, { responseSchema })`. */
  readonly response_schema?: unknown;
}

/** `@langchain/langgraph` of the user. */
export interface LangGraphModule {
  /** Came with `interrupt`, after 0.2.20. */
  readonly Command?: new (fields: {
    readonly resume?: unknown;
    readonly update?: unknown;
    readonly goto?: readonly unknown[];
  }) => unknown;
  readonly messagesStateReducer?: unknown;
  readonly Send?: new (node: string, input: unknown) => unknown;
}

/** A message of any copy of LangChain. */
export interface AnyMessage {
  id?: string;
  /** What LangChain serialises a message from. */
  readonly lc_kwargs?: { id?: string };
  readonly role?: string;
  readonly type?: string;
  readonly content?: unknown;
  readonly additional_kwargs?: unknown;
  readonly name?: string;
  readonly tool_calls?: readonly { readonly id?: string; readonly name: string; readonly args: unknown }[];
  readonly tool_call_id?: string;
  readonly getType?: (this: AnyMessage) => string;
  readonly _getType?: (this: AnyMessage) => string;
  /** Joins a piece and the one that follows it. */
  readonly concat?: (this: AnyMessage, next: AnyMessage) => AnyMessage;
}

/** A schema as https://standardschema.dev describes it; zod and others offer it. */
interface StandardSchema {
  readonly '~standard'?: {
    validate(value: unknown): StandardVerdict | Promise<StandardVerdict>;
  };
}
export type StandardVerdict = { readonly value: unknown } | { readonly issues: readonly StandardIssue[] };
export interface StandardIssue {
  readonly path?: readonly unknown[] | undefined;
  /** Where zod names what an object may not have. */
  readonly keys?: readonly unknown[];
}
