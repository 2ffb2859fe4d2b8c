import { TimeSlice } from '@roadstead/kit';
import { expect, it } from 'vitest';
import { decodeJsonSpans } from './json-span-codec.ts';

it.each([
  [2, 2],
  ['2', 2],
  ['STATUS_CODE_OK', 1],
  ['Error', 2],
  ['nothing known', 0],
  [null, 0],
  [{ toString: 0 }, 0],
  [[2], 0],
])('when the code of a status is %j, then it is read as %d', async (code, expected) => {
  const body = { resourceSpans: [{ scopeSpans: [{ spans: [{ status: { code } }] }] }] };
  const [span] = await decodeJsonSpans(Buffer.from(JSON.stringify(body)), new TimeSlice());
  expect(span?.status.code).toBe(expected);
});
