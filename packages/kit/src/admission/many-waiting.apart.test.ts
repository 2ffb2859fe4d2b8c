import { expect, test, vi } from 'vitest';
import { Loop, settled } from '../loop.ts';
import { silentLog } from '../log.ts';
import { eventually, longestHold, MOST_HELD_MS } from '@roadstead/testing';
import { Admission } from './admission.ts';
import { Seat } from './seat.ts';

const KEYS = 10_000;

/** A loop in which one owner's keys fill all places, until the test lets them end. */
function fullLoop() {
  const ending = Promise.withResolvers<void>();
  const begun = new Set<string>();
  const loop = new Loop({
    name: 'test',
    log: silentLog,
    concurrency: 32,
    owner: (key) => key.split('/', 2),
    list: async () => [],
    reconcile: async (key) => {
      begun.add(key);
      await ending.promise;
      await new Promise((resolve) => setImmediate(resolve));
      return settled;
    },
  });
  const end = () => ending.resolve();
  return { loop, begun, end, [Symbol.asyncDispose]: async () => (end(), loop[Symbol.asyncDispose]()) };
}

test.each([1, 100, KEYS])(
  'when many keys of one owner with %i receivers wake, then they hold the event loop briefly',
  async (receivers) => {
    await using full = fullLoop();
    const { loop, begun, end } = full;
    const hold = await longestHold(async () => {
      for (let at = 0; at < KEYS; at += 1) {
        loop.wake(`greedy/${at % receivers}/${at}`);
        if (at % 1000 === 999) await new Promise((resolve) => setImmediate(resolve));
      }
      loop.wake('other/1/one');
    });
    expect(begun).toContain('other/1/one');
    expect(hold).toBeLessThan(MOST_HELD_MS);
    const ended = await longestHold(async () => {
      end();
      await eventually(() => expect(begun.size).toBe(KEYS + 1), { within_ms: 60_000 });
    });
    expect(ended).toBeLessThan(MOST_HELD_MS);
  },
);

test('when one more comes to a full bound, or leaves it, then none that waits is asked', () => {
  const admission = new Admission({ size: 4 });
  const enter = () => {
    const place = admission.enter(['greedy']);
    void place.hold(1);
    return place;
  };
  const asked = vi.spyOn(Seat.prototype, 'isNext', 'get');
  try {
    const places = Array.from({ length: 1000 }, enter);
    expect(admission.tryTake(['greedy'])).toBeUndefined();
    for (const place of places.slice(500)) place[Symbol.dispose]();
    expect(asked).not.toHaveBeenCalled();
    // The one that holds, and the first that waits; then the bound is full again.
    places[0]?.[Symbol.dispose]();
    expect(asked.mock.calls.length).toBeLessThanOrEqual(2);
    expect(admission.held()).toBe(2);
  } finally {
    asked.mockRestore();
  }
});

test('when places do not grow, then one that holds something does not wait for more', async () => {
  const admission = new Admission({ size: 4, most: [2] });
  admission.enter(['a']).tryHold(1);
  const place = admission.enter(['a']);
  await place.hold(1);
  await expect(place.hold(2)).rejects.toThrow('only where places grow');
});
