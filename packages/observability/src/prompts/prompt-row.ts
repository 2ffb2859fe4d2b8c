/** The reader: prompts of other workspaces are visible where they are public and sharing is on. */
export interface PromptReader {
  readonly workspace_id: string;
  readonly actor: string;
  readonly sees_public: boolean;
}

export interface PromptRow {
  readonly workspace_id: string;
  readonly id: string;
  readonly handle: string;
  readonly kind: 'prompt' | 'file' | 'agent' | 'skill';
  readonly source: 'internal' | 'external' | null;
  readonly description: string | null;
  readonly readme: string | null;
  readonly tags: string[];
  readonly is_public: boolean;
  readonly is_archived: boolean;
  readonly restricted_mode: boolean;
  readonly original_id: string | null;
  readonly upstream_id: string | null;
  readonly num_commits: number;
  readonly num_likes: number;
  readonly num_downloads: number;
  readonly num_views: number;
  readonly created_by: string;
  readonly created_at: string;
  readonly updated_at: string;
  /** The handle of its workspace. */
  readonly owner: string;
  readonly is_liked: boolean;
  readonly last_hash: string | null;
  readonly commit_tags: string[];
  readonly original_name: string | null;
  readonly upstream_name: string | null;
}

export interface CommitRow {
  readonly id: string;
  readonly prompt_id: string;
  readonly number: number;
  readonly hash: string;
  readonly description: string | null;
  readonly num_downloads: number;
  readonly num_views: number;
  readonly created_at: string;
  readonly parent_id: string | null;
  readonly parent_hash: string | null;
}
