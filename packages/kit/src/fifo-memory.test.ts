import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { Fifo } from './fifo.ts';

/** The number of items that a queue keeps alive. */

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
setFlagsFromString('--no-expose-gc');

/** In a function of its own: a variable of the counting function would keep the last one alive. */
function pushInto(fifo: Fifo<object>, count: number): WeakRef<object>[] {
  return Array.from({ length: count }, (_, at) => {
    const item = { at };
    fifo.push(item);
    return new WeakRef(item);
  });
}

test.each([
  { pushed: 1, taken: 1 },
  { pushed: 10, taken: 10 },
  { pushed: 10, taken: 9 },
  { pushed: 3000, taken: 1000 },
  { pushed: 3000, taken: 2000 },
])(
  'when $taken of $pushed are taken, then the queue keeps only the rest alive',
  async ({ pushed, taken }) => {
    const fifo = new Fifo<object>();
    const seen = pushInto(fifo, pushed);
    for (let at = 0; at < taken; at += 1) fifo.take();
    // A target stays alive until the end of the turn in which a reference to it was made.
    await setImmediate();
    collect();
    const alive = seen.filter((one) => one.deref() !== undefined).length;
    expect([alive, fifo.length]).toEqual([pushed - taken, pushed - taken]);
  },
);
