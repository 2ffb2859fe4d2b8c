/** Runs that go on in one turn of the event loop. More would be heard of late; fewer would take a write each. */
const AT_ONCE = 4;

/**
 * A way to wait for a turn of the event loop that few others have. A graph that waits for nothing from outside never
 * yields: all that went on in one turn would end in it, and none be heard of before.
 */
export function turnsOfFew(): () => Promise<void> {
  let turn = Promise.resolve();
  let taken = 0;
  return () => {
    taken += 1;
    if (taken > AT_ONCE) {
      taken = 1;
      turn = turn.then(() => new Promise((resolve) => setImmediate(resolve)));
    }
    return turn;
  };
}

/** The turns that all runs of this host share. */
export const turnOfFew = turnsOfFew();
