import type { StartHindrance } from '@roadstead/agent-server';

/** What keeps a pod from running, for those whose agent it is. */
export interface PodTrouble {
  readonly code: string;
  /** What is wrong and what helps; without names and addresses of nodes. */
  readonly sentence: string;
  /** Whether it may go well a moment later, without anything being changed. */
  readonly passes: boolean;
}

type WordGroups = Readonly<Record<string, string>>;

/** The keys of a Secret that a pod wants. */
export type WantedKeys = (secret: string) => readonly string[];

/** A row of a table: what is said, and what it means. */
export interface TroubleRow {
  readonly words: RegExp;
  readonly code: string;
  /** @param named the named groups of `words` */
  readonly sentence: (named: WordGroups, wanted: WantedKeys) => string;
  readonly passes?: true;
}

/** Tells what keeps a pod from running in the words of those who wait for what is in it. */
export const hindranceTold =
  (tell: StartHindrance | undefined) =>
  (trouble: PodTrouble | undefined): void =>
    tell?.(trouble && { code: trouble.code, message: trouble.sentence, hint: WAITED_FOR });

const WAITED_FOR = 'This may pass: it is waited for, for five minutes. The operator of the cluster can help.';
