/** Runs that go on in one turn of the event loop. More would be heard of late; fewer would take a write each. */
const AT_ONCE = 4;

let turn = Promise.resolve();
let taken = 0;

/**
 * A turn of the event loop that few other runs have. A graph that waits for nothing from outside never yields: all that
 * went on in one turn would end in it, and none be heard of before.
 */
export function turnOfFew(): Promise<void> {
  taken += 1;
  if (taken > AT_ONCE) {
    taken = 1;
    turn = turn.then(() => new Promise((resolve) => setImmediate(resolve)));
  }
  return turn;
}
