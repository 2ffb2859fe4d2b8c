import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Admission } from './admission.ts';
import type { Place } from './seat.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Asks for places and notes the order in which they were granted. */
function asking(admission: Admission) {
  const given: string[] = [];
  const places: Place[] = [];
  const ask = (name: string, ...owner: string[]) => {
    const place = admission.enter(owner.length === 0 ? [name[0] ?? ''] : owner);
    void place.hold(1).then(() => given.push(name));
    places.push(place);
    return place;
  };
  return { given, places, ask };
}

describe('places', () => {
  test('when nobody else is there, then one owner still holds at most half', async () => {
    const admission = new Admission({ size: 4 });
    const { given, ask } = asking(admission);
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'a6']) ask(name);
    await turn();
    expect(given).toEqual(['a1', 'a2']);
    ask('b1');
    await turn();
    expect(given).toEqual(['a1', 'a2', 'b1']);
  });

  test.each([
    [1, 1],
    [2, 1],
    [3, 1],
    [4, 2],
    [5, 2],
  ])('when there are %i places, then one owner holds at most %i', (size, most) => {
    const admission = new Admission({ size });
    const held = Array.from({ length: size }, () => admission.tryTake(['a']));
    expect(held.filter((place) => place !== undefined)).toHaveLength(most);
  });

  test('when an owner has parts, then each holds at most half of the owner’s half', () => {
    const admission = new Admission({ size: 8 });
    const taken = ['slow', 'slow', 'slow', 'well', 'well', 'well'].map(
      (receiver) => admission.tryTake(['a', receiver]) !== undefined,
    );
    expect(taken).toEqual([true, true, false, true, true, false]);
    expect([admission.held(['a', 'slow']), admission.held(['a']), admission.held()]).toEqual([2, 4, 4]);
  });

  test('when there is a single place, then owners take turns, and a newcomer goes first', async () => {
    const admission = new Admission({ size: 1 });
    const { given, places, ask } = asking(admission);
    for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) ask(name);
    for (let at = 0; at < 6; at += 1) {
      await turn();
      const [index, label] = [given.length - 1, given.at(-1)];
      expect(index).toBe(at);
      places[['a1', 'a2', 'a3', 'b1', 'c1', 'b2'].indexOf(label ?? '')]?.[Symbol.dispose]();
    }
    expect(given).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  test('when a waiting caller gives up, then it waits no longer and takes no place', async () => {
    const admission = new Admission({ size: 1 });
    const first = await admission.take(['a']);
    const stop = new AbortController();
    const givenUp = admission.take(['a'], stop.signal);
    const second = admission.take(['a']);
    stop.abort(new Error('given up'));
    await expect(givenUp).rejects.toThrow('given up');
    first[Symbol.dispose]();
    first[Symbol.dispose]();
    (await second)[Symbol.dispose]();
    await expect(admission.take(['a'], stop.signal)).rejects.toThrow('given up');
    expect(admission.held()).toBe(0);
  });
});

describe('bytes', () => {
  test('when an owner holds nothing else, then it is admitted with more than it may hold', () => {
    const admission = new Admission({ size: Infinity, most: [100] });
    const large = admission.tryTake(['a'], 150);
    expect(large?.held).toBe(150);
    expect(admission.tryTake(['a'], 1)).toBeUndefined();
    expect(admission.tryTake(['b'], 100)?.held).toBe(100);
    large?.[Symbol.dispose]();
    expect(admission.tryTake(['a'], 100)?.held).toBe(100);
  });

  test('when a place is needed, then the owner that holds most is evicted, its largest piece first', () => {
    const admission = new Admission({ size: 100 });
    const evicted: string[] = [];
    const take = (owner: string[], units: number, name: string) => {
      const place = admission.enter(owner, { onEvicted: () => evicted.push(name) });
      return place.tryHold(units);
    };
    expect(take(['a', 'x'], 20, 'a small one')).toBe(true);
    expect(take(['a', 'y'], 25, 'a large one')).toBe(true);
    expect(take(['b', 'x'], 25, 'b')).toBe(true);
    expect(take(['c', 'x'], 25, 'c')).toBe(true);
    expect(take(['d', 'x'], 20, 'd')).toBe(true);
    expect(evicted).toEqual(['a large one']);
    expect(take(['a', 'z'], 25, 'a once more')).toBe(false);
    expect(evicted).toEqual(['a large one']);
  });

  test('when something may not be evicted, then it stays', () => {
    const admission = new Admission({ size: 10, most: [10] });
    admission.enter(['a']).tryHold(10);
    expect(admission.enter(['b']).tryHold(1)).toBe(false);
    expect(admission.held(['a'])).toBe(10);
  });

  test('when places grow and all need more, then they get it one after the other', async () => {
    const admission = new Admission({ size: 100, most: [100], grows: true });
    const ends: number[] = [];
    const grow = async (name: number) => {
      using place = admission.enter([`${name % 2}`]);
      await place.hold(30);
      await place.hold(80);
      ends.push(name);
    };
    await Promise.all([1, 2, 3, 4].map(grow));
    expect(new Set(ends)).toEqual(new Set([1, 2, 3, 4]));
    expect(admission.held()).toBe(0);
  });
});

/** Random operations on a bound. */
const steps = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('ask' as const),
      owner: fc.nat(3),
      part: fc.nat(2),
      units: fc.integer({ min: 1, max: 3 }),
    }),
    fc.record({ kind: fc.constant('end' as const), at: fc.nat(30) }),
    fc.record({ kind: fc.constant('give up' as const), at: fc.nat(30) }),
  ),
  { maxLength: 60 },
);

interface AdmissionRequest {
  readonly place: Place;
  readonly owner: string;
  readonly part: string;
  readonly units: number;
  readonly stop: AbortController;
  state: 'waits' | 'holds' | 'over';
}

test('when anything happens, then no bound is exceeded, none waits who fits, and nothing is lost', async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.integer({ min: 1, max: 9 }), async (happening, size) => {
      const admission = new Admission({ size });
      const half = Math.max(1, Math.floor(size / 2));
      const quarter = Math.max(1, Math.floor(half / 2));
      const asked: AdmissionRequest[] = [];
      const sum = (some: readonly AdmissionRequest[]) =>
        some.filter(({ state }) => state === 'holds').reduce((all, { units }) => all + units, 0);
      for (const step of happening) {
        if (step.kind === 'ask') {
          const [owner, part] = [`o${step.owner}`, `p${step.part}`];
          const units = Math.min(step.units, quarter);
          const stop = new AbortController();
          const one: AdmissionRequest = {
            place: admission.enter([owner, part]),
            owner,
            part,
            units,
            stop,
            state: 'waits',
          };
          asked.push(one);
          one.place.hold(units, stop.signal).then(
            () => (one.state = 'holds'),
            () => one.place[Symbol.dispose](),
          );
        } else {
          const one = asked[step.at];
          if (step.kind === 'end' && one?.state === 'holds') {
            one.state = 'over';
            one.place[Symbol.dispose]();
          } else if (step.kind === 'give up' && one?.state === 'waits') {
            one.state = 'over';
            one.stop.abort();
          }
        }
        await turn();
        expect(admission.held()).toBe(sum(asked));
        expect(sum(asked)).toBeLessThanOrEqual(size);
        for (const one of asked) {
          const own = asked.filter(({ owner }) => owner === one.owner);
          const parts = own.filter(({ part }) => part === one.part);
          expect(sum(own)).toBeLessThanOrEqual(half);
          expect(sum(parts)).toBeLessThanOrEqual(quarter);
          if (one.state !== 'waits') continue;
          const fits =
            sum(asked) + one.units <= size &&
            sum(own) + one.units <= half &&
            sum(parts) + one.units <= quarter;
          expect(fits).toBe(false);
        }
      }
      for (const one of asked) {
        one.stop.abort();
        one.place[Symbol.dispose]();
      }
      expect(admission.held()).toBe(0);
    }),
    { numRuns: 200 },
  );
});

test('when one owner floods a bound, then another gets in before the first is served twice', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 40 }), async (size, flood) => {
      const admission = new Admission({ size });
      const { given, places, ask } = asking(admission);
      for (let at = 0; at < flood; at += 1) ask(`a${at}`);
      await turn();
      const before = given.length;
      ask('b');
      await turn();
      // One place of the flood ends.
      if (!given.includes('b')) places[0]?.[Symbol.dispose]();
      await turn();
      expect(given.indexOf('b') - before).toBeLessThan(1);
      expect(given).toContain('b');
    }),
  );
});
