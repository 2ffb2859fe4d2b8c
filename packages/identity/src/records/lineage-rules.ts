/** How many workspaces may come of one another. Pure. */

/** Of a workspace that nobody made, unless the operator says otherwise. */
export const MOST_WORKSPACES = 100;

/** A workspace on the way from the one that makes another up to the first. */
export interface Ancestor {
  /** Whether it was made by another itself. */
  readonly is_made: boolean;
  /** How many came of it, by whichever of its keys, and of those in turn. */
  readonly descendants: number;
}

/** Each workspace has turns of its own wherever something is shared: one that was made by another gets fewer of them. */
const SHARE_OF_MADE = 0.1;

/** Whether there may be one more. */
export const hasRoom = (ancestors: readonly Ancestor[], most: number): boolean =>
  ancestors.every(
    ({ is_made, descendants }) => descendants < (is_made ? Math.ceil(most * SHARE_OF_MADE) : most),
  );
