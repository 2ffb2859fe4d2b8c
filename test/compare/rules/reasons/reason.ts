import type { Difference } from '../differences.ts';

/** Why an answer differs. */
export interface Reason {
  /** Where it differs: all that are given fit. */
  readonly scenario?: RegExp;
  readonly method?: RegExp;
  readonly path: RegExp;
  readonly fits?: (difference: Difference) => boolean;
  readonly there: string;
  readonly here: string;
  readonly why: string;
  /** It is to be mended here. */
  readonly is_fault?: boolean;
}

export const isMissingHere = ({ ours }: Difference): boolean => ours === undefined;
export const isOnlyHere = ({ theirs }: Difference): boolean => theirs === undefined;

/** Both as JSON, so that lists and objects are told by what they hold. */
export const are =
  (there: unknown, here: unknown) =>
  ({ theirs, ours }: Difference): boolean =>
    JSON.stringify(theirs) === JSON.stringify(there) && JSON.stringify(ours) === JSON.stringify(here);
