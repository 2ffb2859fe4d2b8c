import { expect, test } from 'vitest';
import { uuidv7 } from './ids.ts';

test('when ids are made by one thread, also in one millisecond, then they sort by their making', () => {
  const began = Date.now();
  const ids = Array.from({ length: 3000 }, uuidv7);
  const ended = Date.now();
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) {
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const made_at = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
    expect(made_at).toBeGreaterThanOrEqual(began);
    expect(made_at).toBeLessThanOrEqual(ended);
  }
});
