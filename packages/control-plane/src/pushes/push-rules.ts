import { isTerminal } from '@roadstead/contracts';
import { revisionFlow, type RevisionStatus } from '@roadstead/contracts/control-plane';

/** The consequence of a report where the ref of a deployment is now. */
export type PushVerdict =
  /** It is a new commit: make a revision of it. */
  | 'build'
  /** The ref has not moved. */
  | 'known'
  /** A revision that hasn't begun will resolve the ref to it. */
  | 'awaited'
  /** A revision is resolving the ref: only its result shows whether this report is older. */
  | 'undecided'
  /** An earlier commit, named by an earlier message. */
  | 'replayed';

export interface HeadSighting {
  readonly commit_sha: string;
  /** `poll`: the listener looked, which shows the present; `webhook`: a message, which may be late or a copy. */
  readonly by: 'poll' | 'webhook';
  /** The ref's commit before, according to a webhook. */
  readonly before: string | null;
}

export interface KnownHead {
  readonly latest: { readonly status: RevisionStatus; readonly commit_sha: string | null };
  readonly head_sha: string | null;
  /** Whether some revision is of this commit. */
  readonly has_revision: boolean;
  /** Whether webhooks come, so that a poll's result may be older than they are. */
  readonly is_hooked: boolean;
}

/**
 * One revision per commit. A second one is made only where the ref was moved back, which a poll sees and a webhook
 * proves by naming the present head as the one before.
 */
export function decidePush(heard: HeadSighting, known: KnownHead): PushVerdict {
  const { latest, head_sha, has_revision } = known;
  if (heard.commit_sha === head_sha || heard.commit_sha === latest.commit_sha) return 'known';
  const isOpen = latest.commit_sha === null && !isTerminal(revisionFlow, latest.status);
  if (isOpen && (latest.status === 'CREATING' || latest.status === 'QUEUED')) return 'awaited';
  if (isOpen && heard.by === 'poll') return 'undecided';
  if (!has_revision) return 'build';
  const isMovedBack = heard.by === 'poll' ? !known.is_hooked : head_sha !== null && heard.before === head_sha;
  return isMovedBack ? 'build' : 'replayed';
}
