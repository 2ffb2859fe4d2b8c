/** An assistant: a graph with a configuration, in versions, one of which is live. */
export interface Assistant {
  readonly assistant_id: string;
  readonly graph_id: string;
  readonly name: string;
  readonly description: string | null;
  readonly config: Json;
  readonly context: Json;
  readonly metadata: Json;
  readonly version: number;
  /** ISO 8601. */
  readonly created_at: string;
  readonly updated_at: string;
}

export type Json = Readonly<Record<string, unknown>>;

export type AssistantVersion = Omit<Assistant, 'updated_at'>;

/** The content of one version. */
export type AssistantContent = Omit<Assistant, 'assistant_id' | 'version' | 'created_at' | 'updated_at'>;
