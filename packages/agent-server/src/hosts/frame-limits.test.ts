import { checkHeadSize, FRAME_LIMITS } from '@roadstead/contracts/host-peer';
import { parseJson } from '@roadstead/json';
import fc from 'fast-check';
import { expect, test } from 'vitest';

/** A host counts before it sends as the engine counts while it reads. */

const isFine = async (work: () => unknown): Promise<boolean> => {
  try {
    await work();
    return true;
  } catch {
    return false;
  }
};

test('when a text is counted by a host, then that admits what the engine reads', async () => {
  const most = fc.record({
    max_values: fc.integer({ min: 1, max: 12 }),
    max_keys: fc.integer({ min: 0, max: 4 }),
    max_depth: fc.integer({ min: 1, max: 4 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), most, async (value, some) => {
      const bytes = Buffer.from(JSON.stringify(value));
      const limits = { ...FRAME_LIMITS, ...some };
      const sent = await isFine(() => checkHeadSize([bytes], limits));
      expect([value, await isFine(() => parseJson(bytes, limits))]).toEqual([value, sent]);
    }),
    { numRuns: 500 },
  );
});

test.each([
  [FRAME_LIMITS.max_key_bytes - 1, true],
  [FRAME_LIMITS.max_key_bytes, false],
])('when a key has %i bytes, then both sides find it fine: %s', async (length, fine) => {
  const bytes = Buffer.from(JSON.stringify({ ['x'.repeat(length)]: 1 }));
  expect(await isFine(() => checkHeadSize([bytes], FRAME_LIMITS))).toBe(fine);
  const limits = { ...FRAME_LIMITS, part_bytes: FRAME_LIMITS.max_key_bytes };
  expect(await isFine(() => parseJson(bytes, limits))).toBe(fine);
});
