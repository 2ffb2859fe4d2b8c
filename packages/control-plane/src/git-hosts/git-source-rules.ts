import type { SourceConfig } from '@roadstead/contracts/control-plane';
import { Problem } from '@roadstead/kit';
import { readRef, readRemote } from './remote-rules.ts';

/** Throws `invalid` where the fields of a git source are incomplete, or contradict each other. */
export function checkGitSource(
  { repo_url, build_on_push }: Pick<SourceConfig, 'repo_url' | 'build_on_push'>,
  { repo_ref }: { readonly repo_ref: string | null },
): void {
  if (typeof repo_url !== 'string')
    throw new Problem('invalid', 'source_config.repo_url is required for source git.');
  readRemote(repo_url);
  if (repo_ref === null) return;
  if (readRef(repo_ref).kind === 'commit' && build_on_push === true)
    throw new Problem(
      'invalid',
      'source_config.build_on_push cannot be true while source_revision_config.repo_ref is a commit: commits never move.',
    );
}
