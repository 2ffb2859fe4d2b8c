import { type Search, textIn } from '../../router/search.ts';

/** What of a trace is open, as it stands in the address. */
export interface TraceSearch {
  readonly run?: string | undefined;
  /** The part of the run. */
  readonly part?: string | undefined;
  /** `graph`; a tree without it. */
  readonly as?: string | undefined;
  /** The words that runs of the tree are found by. */
  readonly find?: string | undefined;
}

export const openIn = (search: Search): TraceSearch => ({
  run: textIn(search, 'run'),
  part: textIn(search, 'part'),
  as: textIn(search, 'as'),
  find: textIn(search, 'find'),
});
