import type { Watch } from '@roadstead/contracts/control-plane';

/** Even where webhooks come, an occasional look notices when they have stopped. */
const HOOKED_INTERVAL_S = 900;

export interface WatchCandidate {
  readonly repo_url: string | null;
  readonly repo_ref: string | null;
  readonly build_on_push: boolean;
  /** Whether webhooks about its repository come. */
  readonly is_hooked: boolean;
  readonly has_credentials: boolean;
}

/** The ref that a listener polls; null where it need not, and with an interval of 0. */
export function watchOf(watched: WatchCandidate, interval_s: number): Watch | null {
  const { repo_url, repo_ref: ref, build_on_push, is_hooked, has_credentials } = watched;
  if (!build_on_push || repo_url === null || ref === null || interval_s === 0) return null;
  const slow = Math.max(interval_s, HOOKED_INTERVAL_S);
  return { repo_url, ref, interval_s: is_hooked ? slow : interval_s, has_credentials };
}
