/** An agent as its row in SQL. */
export interface AgentRow {
  readonly workspace_id: string;
  readonly id: string;
  readonly agent_uuid: string;
  readonly name: string;
  readonly agent_type: 'CUSTOM' | 'CODING';
  readonly source_type: 'LSD' | 'MDA' | 'EXTERNAL' | 'FLEET';
  readonly owner_id: string | null;
  readonly environments: readonly string[];
  readonly created_at: string;
  /** The existing tracing projects of its environments, by name. */
  readonly sessions: Readonly<Record<string, string>>;
}
