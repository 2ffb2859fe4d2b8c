import type { Prompt } from '@roadstead/contracts/observability';
import { membersOf } from '../list-answers.ts';

const members = [
  'repo_handle',
  'full_name',
  'description',
  'id',
  'is_public',
  'tags',
  'owner',
  'num_likes',
  'num_downloads',
  'num_views',
  'created_at',
  'updated_at',
  'num_commits',
  'last_commit_hash',
  'commit_tags',
] as const satisfies readonly (keyof Prompt)[];

/** A prompt in the form that tools show, without its template. */
export const promptRecord = (prompt: Partial<Prompt>) => membersOf(prompt, members);
