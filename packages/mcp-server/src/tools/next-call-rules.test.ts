import { expect, test } from 'vitest';
import { nextCall } from './next-call-rules.ts';

test.each([
  [{ run_id: 'a', path: undefined }, 'get_run {"run_id":"a"}'],
  [{ filter: 'eq(name, "x")' }, String.raw`get_run {"filter":"eq(name, \"x\")"}`],
  [{ filter: 'x'.repeat(400) }, 'get_run'],
])('when the next call gets %j, then it is written as that', (given, call) => {
  expect(nextCall('get_run', given)).toBe(call);
});
