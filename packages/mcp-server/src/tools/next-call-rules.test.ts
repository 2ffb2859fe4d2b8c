import { expect, test } from 'vitest';
import { nextCall } from './next-call-rules.ts';

test.each([
  [{ run_id: 'a', path: undefined }, 'get_run {"run_id":"a"}'],
  [{ filter: 'eq(name, "x")' }, String.raw`get_run {"filter":"eq(name, \"x\")"}`],
  [{ filter: 'x'.repeat(400) }, 'get_run'],
])('%j is said so', (given, call) => {
  expect(nextCall('get_run', given)).toBe(call);
});
