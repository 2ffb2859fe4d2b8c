import { type GitAddress, type GitRef, readGitAddress, readGitRef } from '@roadstead/contracts/git';
import { Problem } from '@roadstead/kit';

/**
 * Decides which addresses and refs of git repositories are accepted, and when two addresses are of the same
 * repository.
 */

/** The default branch of the remote. */
export const DEFAULT_REF = 'HEAD';

/** Throws `invalid` for an address that can't be fetched. */
export function readRemote(repo_url: string): GitAddress {
  const read = readGitAddress(repo_url);
  if (read.kind === 'read') return read.address;
  throw new Problem('invalid', `source_config.repo_url can't be fetched. ${read.message}`);
}

/** Throws `invalid` for a ref that git rejects, or that it would read as an option. */
export function readRef(repo_ref: string): GitRef {
  const read = readGitRef(repo_ref);
  if (read.kind === 'read') return read.ref;
  throw new Problem('invalid', `source_revision_config.repo_ref can't be fetched. ${read.message}`);
}

/**
 * The same text for every address of a repository: https and ssh, with and without `.git`. Hosts serve both on ports
 * of their own, and accept paths in any case.
 */
export function repositoryOf({ host, path }: Pick<GitAddress, 'host' | 'path'>): string {
  return `${host}${path.replace(/\.git$/i, '')}`.toLowerCase();
}

/** The full name of the branch that is pushed to; undefined for a ref that nobody pushes to. */
export function branchOf(repo_ref: string, default_branch: string | null): string | undefined {
  const read = readGitRef(repo_ref);
  if (read.kind === 'refused') return undefined;
  if (read.ref.kind === 'named') return read.ref.full.startsWith('refs/heads/') ? read.ref.full : undefined;
  return read.ref.kind === 'default' && default_branch !== null ? `refs/heads/${default_branch}` : undefined;
}
