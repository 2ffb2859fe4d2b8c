/** How many workspaces may descend from one another. Pure. */

/** The default limit for a workspace that no other workspace made. */
export const MOST_WORKSPACES = 100;

/** A workspace on the way from the maker of another one up to the first. */
export interface Ancestor {
  /** Whether another workspace made it. */
  readonly is_made: boolean;
  /** The number of its descendants, made by any of its keys or by theirs. */
  readonly descendants: number;
}

/** Each workspace takes turns of its own wherever something is shared: one that another made gets fewer of them. */
const SHARE_OF_MADE = 0.1;

/** Whether one more may be made. */
export const hasRoom = (ancestors: readonly Ancestor[], most: number): boolean =>
  ancestors.every(
    ({ is_made, descendants }) => descendants < (is_made ? Math.ceil(most * SHARE_OF_MADE) : most),
  );
