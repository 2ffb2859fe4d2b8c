import { Problem } from '@roadstead/kit';
import type { PromptReader, PromptRow } from './prompt-row.ts';

/**
 * The full name; a private prompt has the owner `-`, since the SDKs ask for confirmation before they load another
 * owner's prompt.
 */
export function fullNameOf({ is_public, owner, handle }: Pick<PromptRow, 'is_public' | 'owner' | 'handle'>) {
  return `${is_public ? owner : '-'}/${handle}`;
}

/** The answer without the latest manifest. */
export function promptAnswer(row: PromptRow) {
  return {
    repo_handle: row.handle,
    description: row.description,
    readme: row.readme,
    id: row.id,
    tenant_id: row.workspace_id,
    created_at: row.created_at,
    updated_at: row.updated_at,
    is_public: row.is_public,
    is_archived: row.is_archived,
    restricted_mode: row.restricted_mode,
    tags: row.tags,
    original_repo_id: row.original_id,
    upstream_repo_id: row.upstream_id,
    commit_tags: row.commit_tags,
    repo_type: row.kind,
    source: row.source,
    owner: row.owner,
    full_name: fullNameOf(row),
    num_likes: row.num_likes,
    num_downloads: row.num_downloads,
    num_views: row.num_views,
    liked_by_auth_user: row.is_liked,
    last_commit_hash: row.last_hash,
    num_commits: row.num_commits,
    created_by: row.created_by,
    original_repo_full_name: row.original_name,
    upstream_repo_full_name: row.upstream_name,
  };
}

export function requirePrompt(row: PromptRow | undefined): PromptRow {
  if (row === undefined) throw new Problem('not_found', 'The prompt does not exist.');
  return row;
}

/** Refuses to change another workspace's prompt, which can only be read. */
export function requireOwn(row: PromptRow, { workspace_id }: PromptReader): PromptRow {
  if (row.workspace_id !== workspace_id)
    throw new Problem('forbidden', 'This prompt belongs to another workspace: fork it to change it.');
  return row;
}

export function requireSharing(is_public: boolean | null | undefined, is_allowed: boolean): void {
  if (is_public === true && !is_allowed)
    throw new Problem('forbidden', 'Prompts can’t be made public here.', {
      hint: 'The operator can allow it by ROADSTEAD_PUBLIC_SHARING.',
    });
}
