/** What of a log is looked at, as its address tells it. */
export const LEVELS = ['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL'] as const;
type Level = (typeof LEVELS)[number];

export const LOG_TYPES = ['build', 'deploy'] as const;

export interface LogSearch {
  /** The log of builds, or of servers, which is the one without it. */
  readonly type?: (typeof LOG_TYPES)[number] | undefined;
  /** The only revision whose lines are shown. */
  readonly revision?: string | undefined;
  /** The least level. */
  readonly level?: Level | undefined;
  readonly query?: string | undefined;
  /** Whether long lines are broken. */
  readonly wrap?: 1 | undefined;
}
