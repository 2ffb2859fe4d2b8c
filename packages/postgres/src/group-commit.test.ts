import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GroupCommit } from './group-commit.ts';

/** A flush that records its items and answers when the test says so. */
function heldFlush() {
  const flushes: { items: readonly string[]; answer: () => void; fail: (error: Error) => void }[] = [];
  const flush = (items: readonly string[]) =>
    new Promise<string[]>((resolve, reject) => {
      flushes.push({ items, answer: () => resolve(items.map((item) => item.toUpperCase())), fail: reject });
    });
  return { flush, flushes };
}

/** A flush, and what it waits for. */
const turn = async () => {
  await new Promise(setImmediate);
  await new Promise(setImmediate);
};
const broken = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });

describe('collecting', () => {
  test('when an item is alone, then it goes at once, and those added meanwhile go together', async () => {
    const { flush, flushes } = heldFlush();
    const group = new GroupCommit({ flush });
    const first = group.add('a');
    await turn();
    const rest = ['b', 'c', 'd'].map((item) => group.add(item));
    await turn();
    expect(flushes.map(({ items }) => items)).toEqual([['a']]);
    flushes[0]?.answer();
    expect(await first).toBe('A');
    await turn();
    expect(flushes.map(({ items }) => items)).toEqual([['a'], ['b', 'c', 'd']]);
    flushes[1]?.answer();
    expect(await Promise.all(rest)).toEqual(['B', 'C', 'D']);
  });

  test('when one tick adds several items, then they go in one flush', async () => {
    const { flush, flushes } = heldFlush();
    const group = new GroupCommit({ flush });
    void group.add('a');
    void group.add('b');
    await turn();
    expect(flushes[0]?.items).toEqual(['a', 'b']);
  });

  test.each([
    { limits: { max_items: 2 }, expected: [['a', 'bb'], ['ccc', 'd'], ['e']] },
    {
      limits: { max_weight: 4, weigh: (item: string) => item.length },
      expected: [['a', 'bb'], ['ccc', 'd'], ['e']],
    },
    {
      limits: { max_weight: 2, weigh: (item: string) => item.length },
      expected: [['a'], ['bb'], ['ccc'], ['d', 'e']],
    },
    { limits: { max_items: 1 }, expected: [['a'], ['bb'], ['ccc'], ['d'], ['e']] },
  ])('when the limits are $limits, then flushes keep to them', async ({ limits, expected }) => {
    const seen: (readonly string[])[] = [];
    const flush = (items: readonly string[]) => {
      seen.push(items);
      return Promise.resolve(items);
    };
    const group = new GroupCommit({ flush, ...limits });
    const all = ['a', 'bb', 'ccc', 'd', 'e'];
    expect(await Promise.all(all.map((item) => group.add(item)))).toEqual(all);
    expect(seen).toEqual(expected);
  });
});

describe('errors', () => {
  const flushUnless =
    (bad: string, error: Error, calls: (readonly string[])[]) => (items: readonly string[]) => {
      calls.push(items);
      return items.includes(bad) ? Promise.reject(error) : Promise.resolve(items);
    };
  const settle = async (group: GroupCommit<string, string>) => {
    const results = await Promise.allSettled(['a', 'bad', 'c'].map((item) => group.add(item)));
    return results.map((result) => (result.status === 'fulfilled' ? result.value : String(result.reason)));
  };

  test('when one item is bad, then its neighbours do not fail', async () => {
    const calls: (readonly string[])[] = [];
    const group = new GroupCommit({ flush: flushUnless('bad', new Error('no'), calls) });
    expect(await settle(group)).toEqual(['a', 'Error: no', 'c']);
    expect(calls).toEqual([['a', 'bad', 'c'], ['a'], ['bad'], ['c']]);
  });

  test('when nothing is split, or the connection broke, then nothing is tried again', async () => {
    const calls: (readonly string[])[] = [];
    const whole = new GroupCommit({
      flush: flushUnless('bad', new Error('no'), calls),
      split_on_error: false,
    });
    expect(await settle(whole)).toEqual(['Error: no', 'Error: no', 'Error: no']);
    const cut = new GroupCommit({ flush: flushUnless('bad', broken, calls) });
    expect(await settle(cut)).toEqual([String(broken), String(broken), String(broken)]);
    expect(calls).toHaveLength(2);
  });

  test('when a flush answers too little, then it fails, and the next one works', async () => {
    let short = true;
    const group = new GroupCommit<string, string>({ flush: async (items) => (short ? [] : items) });
    await expect(group.add('a')).rejects.toThrow('A flush of 1 items answered 0.');
    short = false;
    expect(await group.add('b')).toBe('b');
  });

  test('when an item can’t be weighed, then it fails alone', async () => {
    const weigh = (item: string) => {
      if (item === 'bad') throw new Error('weightless');
      return 1;
    };
    const group = new GroupCommit<string, string>({ flush: async (items) => items, weigh });
    expect(await settle(group)).toEqual(['a', 'Error: weightless', 'c']);
  });
});

test('when there is a second lane, then it flushes what comes while the first is at it', async () => {
  const { flush, flushes } = heldFlush();
  const group = new GroupCommit({ flush, lanes: 2 });
  for (const item of ['a', 'b', 'c', 'd']) {
    void group.add(item);
    await turn();
  }
  expect(flushes.map(({ items }) => items)).toEqual([['a'], ['b']]);
  flushes[1]?.answer();
  await turn();
  expect(flushes[2]?.items).toEqual(['c', 'd']);
});

test('when an item is added as soon as the one before is answered, then it is written', async () => {
  const group = new GroupCommit<number, number>({ flush: async (items) => items });
  for (let item = 0; item < 5; item += 1) expect(await group.add(item)).toBe(item);
  await group.idle();
});

test('when idle is awaited, then it waits for the last flush, if there is one', async () => {
  const { flush, flushes } = heldFlush();
  const group = new GroupCommit({ flush });
  await group.idle();
  void group.add('a');
  let idle = false;
  const waited = group.idle().then(() => (idle = true));
  await turn();
  void group.add('b');
  flushes[0]?.answer();
  await turn();
  expect(idle).toBe(false);
  flushes[1]?.answer();
  await waited;
});

test('when any items are added, then each is answered, and flushes keep to their lanes, in order', async () => {
  const step = fc.record({ item: fc.integer({ min: 0, max: 99 }), pause: fc.boolean() });
  const limits = fc.record({
    max_items: fc.integer({ min: 1, max: 5 }),
    max_weight: fc.integer({ min: 1, max: 200 }),
    lanes: fc.integer({ min: 1, max: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 40 }),
      limits,
      async (steps, { max_items, max_weight, lanes }) => {
        let flying = 0;
        const written: number[] = [];
        const flush = async (items: readonly number[]) => {
          expect((flying += 1)).toBeLessThanOrEqual(lanes);
          expect(items.length).toBeLessThanOrEqual(max_items);
          const weight = items.reduce((sum, item) => sum + item, 0);
          expect(items.length === 1 || weight <= max_weight).toBe(true);
          await turn();
          flying -= 1;
          if (items.some((item) => item % 7 === 3)) throw new Error(`bad among ${items.length}`);
          written.push(...items);
          return items.map((item) => item * 2);
        };
        const group = new GroupCommit({ flush, lanes, max_items, max_weight, weigh: (item) => item });
        const answers: Promise<number | string>[] = [];
        for (const { item, pause } of steps) {
          answers.push(group.add(item).catch((error: Error) => error.message));
          if (pause) await turn();
        }
        const expected = steps.map(({ item }) => (item % 7 === 3 ? 'bad among 1' : item * 2));
        expect(await Promise.all(answers)).toEqual(expected);
        const inOrder = (items: readonly number[]) => (lanes === 1 ? items : items.toSorted((a, b) => a - b));
        expect(inOrder(written)).toEqual(
          inOrder(steps.map(({ item }) => item).filter((item) => item % 7 !== 3)),
        );
        await group.idle();
      },
    ),
    { numRuns: 100 },
  );
});

test('when one owner’s items fill many flushes, then another’s go with the next, in order', async () => {
  const flushes: string[][] = [];
  const first = Promise.withResolvers<void>();
  const group = new GroupCommit<string, string>({
    max_weight: 40,
    weigh: (item) => (item.startsWith('a') ? 20 : 1),
    owner: (item) => item[0] ?? '',
    flush: async (items) => {
      flushes.push([...items]);
      if (flushes.length === 1) await first.promise;
      return items;
    },
  });
  const added = [group.add('a0')];
  await turn();
  for (const item of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'b3']) added.push(group.add(item));
  first.resolve();
  expect(await Promise.all(added)).toEqual(['a0', 'a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'b3']);
  expect(flushes).toEqual([['a0'], ['a1', 'b1', 'b2', 'b3'], ['a2', 'a3'], ['a4']]);
});

test('when heavy items leave no room in a flush, then another owner’s item goes with the next', async () => {
  const flushes: string[][] = [];
  const group = new GroupCommit<string, string>({
    max_weight: 16,
    weigh: (item) => (item.startsWith('a') ? 15 : 4),
    owner: (item) => item[0] ?? '',
    flush: async (items) => {
      flushes.push([...items]);
      return items;
    },
  });
  await Promise.all(
    [...Array.from({ length: 20 }, (_, at) => `a${at}`), 'b', 'c'].map((item) => group.add(item)),
  );
  expect(flushes.slice(0, 3)).toEqual([['a0'], ['b', 'c'], ['a1']]);
  expect(flushes).toHaveLength(21);
});

test('when any owners add, then each that waits is served before another is served twice over', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ owner: fc.nat(4), weight: fc.integer({ min: 1, max: 16 }) }), { maxLength: 40 }),
      async (items) => {
        const flushes: (typeof items)[] = [];
        const group = new GroupCommit<(typeof items)[number], number>({
          max_weight: 16,
          weigh: ({ weight }) => weight,
          owner: ({ owner }) => `${owner}`,
          flush: async (flushed) => {
            flushes.push([...flushed]);
            return flushed.map(({ owner }) => owner);
          },
        });
        await Promise.all(items.map((item) => group.add(item)));
        const owners = new Set(items.map(({ owner }) => owner));
        // All wait from the start: the first of each goes within as many flushes as there are owners.
        for (const owner of owners) {
          const at = flushes.findIndex((flushed) => flushed.some((item) => item.owner === owner));
          expect(at).toBeLessThan(owners.size);
          const own = flushes.flat().filter((item) => item.owner === owner);
          expect(own).toEqual(items.filter((item) => item.owner === owner));
        }
      },
    ),
  );
});
