import { isTerminal } from '@roadstead/contracts';
import { revisionFlow, type RevisionStatus } from '@roadstead/contracts/control-plane';

/** What follows from hearing where the ref of a deployment stands now. */
export type PushVerdict =
  /** It is a new commit: a revision of it. */
  | 'build'
  /** It stands where it stood. */
  | 'known'
  /** A revision that hasn't begun will find it by itself. */
  | 'awaited'
  /** A revision is just finding out what the ref is: only its answer tells whether this is older. */
  | 'undecided'
  /** A commit from before, said by a message from before. */
  | 'replayed';

export interface HeardOf {
  readonly commit_sha: string;
  /** `poll`: the listener looked, which tells the present; `webhook`: a message, which may be late or a copy. */
  readonly by: 'poll' | 'webhook';
  /** Where the ref stood before, as a webhook says. */
  readonly before: string | null;
}

export interface KnownOf {
  readonly latest: { readonly status: RevisionStatus; readonly commit_sha: string | null };
  readonly head_sha: string | null;
  /** Some revision is of this commit. */
  readonly has_revision: boolean;
  /** Webhooks come, so that what a poll saw may be older than they. */
  readonly is_hooked: boolean;
}

/**
 * One revision a commit: a second one only where the ref was moved back, which a poll sees and which a webhook proves by
 * naming the present head as the one before.
 */
export function judgePush(heard: HeardOf, known: KnownOf): PushVerdict {
  const { latest, head_sha, has_revision } = known;
  if (heard.commit_sha === head_sha || heard.commit_sha === latest.commit_sha) return 'known';
  const isOpen = latest.commit_sha === null && !isTerminal(revisionFlow, latest.status);
  if (isOpen && (latest.status === 'CREATING' || latest.status === 'QUEUED')) return 'awaited';
  if (isOpen && heard.by === 'poll') return 'undecided';
  if (!has_revision) return 'build';
  const isMovedBack = heard.by === 'poll' ? !known.is_hooked : head_sha !== null && heard.before === head_sha;
  return isMovedBack ? 'build' : 'replayed';
}
