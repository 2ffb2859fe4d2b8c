import type { WatchedHead } from '@roadstead/contracts/control-plane';
import type { FoundHead } from '../sources/git-heads.ts';

/** Decides what is reported of a watched ref, and when it is looked at again. */

export type HeadReport = Omit<WatchedHead, 'fence'>;

/** How often in a row a host may fail to answer before that is reported. */
const AWAY_TIMES = 3;

/**
 * Undefined while there is nothing to report.
 * @param away_times including this time.
 */
export function headReport(
  ref: string,
  { found, away_times }: { readonly found: FoundHead; readonly away_times: number },
): HeadReport | undefined {
  switch (found.kind) {
    case 'found':
      return { ref, commit_sha: found.commit_sha, problem: null };
    case 'gone':
      return { ref, commit_sha: null, problem: null };
    case 'away':
      return away_times < AWAY_TIMES ? undefined : { ref, commit_sha: null, problem: found.problem };
    case 'refused':
      return { ref, commit_sha: null, problem: found.problem };
    default:
      return found satisfies never;
  }
}

/** Whether the control plane knows it already. */
export const isSameReport = (one: HeadReport | undefined, other: HeadReport): boolean =>
  one?.ref === other.ref && one.commit_sha === other.commit_sha && one.problem?.code === other.problem?.code;

const JITTER = 0.1;

/** A little earlier or later each time, so that many refs of one host are not all queried at once. */
export const nextLookMs = (interval_s: number, random: number): number =>
  interval_s * 1000 * (1 - JITTER + 2 * JITTER * random);
