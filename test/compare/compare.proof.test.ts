import { expect, test } from 'vitest';
import { compareAll } from './compare.ts';
import { unexplained, unusedReasons } from './page.ts';
import { scenarios } from './scenarios/index.ts';

test('when both servers are asked the same, then each difference of their answers has a reason', async ({
  skip,
}) => {
  const calls = await compareAll();
  if (typeof calls === 'string') {
    process.stderr.write(`${calls}\n`);
    return skip(calls);
  }
  expect(calls.length).toBe(2 * scenarios.flatMap((scenario) => scenario.calls).length);
  expect(calls.length).toBeGreaterThan(800);
  expect(unexplained(calls)).toEqual([]);
  expect(unusedReasons(calls)).toEqual([]);
});
