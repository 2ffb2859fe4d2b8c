/** What keeps a pod from running, for those whose agent it is. */
export interface PodTrouble {
  readonly code: string;
  /** What is wrong and what helps; without names and addresses of nodes. */
  readonly sentence: string;
  /** Whether it may go well a moment later, without anything being changed. */
  readonly passes: boolean;
}

type WordGroups = Readonly<Record<string, string>>;

/** A row of a table: what is said, and what it means. */
export interface TroubleRow {
  readonly words: RegExp;
  readonly code: string;
  /** @param named the named groups of `words` */
  readonly sentence: (named: WordGroups) => string;
  readonly passes?: true;
}
