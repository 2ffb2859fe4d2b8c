import { expect, it } from 'vitest';
import { readCursor, writeCursor } from '../queries/cursor-rules.ts';
import { instantOf, secondsBetween, stampOf } from './instant-rules.ts';

it.each<[unknown, string | undefined]>([
  ['2026-01-01T00:00:00.123456Z', '2026-01-01T00:00:00.123456+00:00'],
  ['2026-01-01T00:00:00.123456789+02:00', '2025-12-31T22:00:00.123456+00:00'],
  ['2026-01-01T00:00:00-05:30', '2026-01-01T05:30:00.000000+00:00'],
  ['2026-01-01 00:00:00.1', '2026-01-01T00:00:00.100000+00:00'],
  ['2026-01-01T00:00', '2026-01-01T00:00:00.000000+00:00'],
  ['2026-01-01T00:00:00+0100', '2025-12-31T23:00:00.000000+00:00'],
  [1_767_225_600_123, '2026-01-01T00:00:00.123000+00:00'],
  [1_767_225_600, '2026-01-01T00:00:00.000000+00:00'],
  [1_767_225_600.25, '2026-01-01T00:00:00.250000+00:00'],
  ['0000-01-01T00:00:00Z', undefined],
  ['2026-13-01T00:00:00Z', undefined],
  ['2026-01-01', undefined],
  ['tomorrow', undefined],
  [Number.NaN, undefined],
  [Number.POSITIVE_INFINITY, undefined],
  [8.64e15, undefined],
  [null, undefined],
  [{}, undefined],
])('when an instant is %j, then it is read as %s', (value, expected) => {
  expect(instantOf(value)).toBe(expected);
});

it('when stamps and differences are written, then they are exact to the microsecond', () => {
  expect(stampOf('2026-01-01T02:03:04.123456+00:00')).toBe('20260101T020304123456Z');
  expect(secondsBetween('2026-01-01T00:00:00.000001+00:00', '2026-01-01T00:00:01.000000+00:00')).toBe(
    0.999999,
  );
  expect(secondsBetween('2026-01-01T00:00:00.000001+00:00', '2026-01-01T00:00:00.000000+00:00')).toBe(0);
});

it('when a cursor was written here, then it is read, and no other is', () => {
  const cursor = {
    start_time: '2026-01-01T00:00:00.123456+00:00',
    run_id: '018f0000-0000-7000-8000-000000000001',
  };
  expect(readCursor(writeCursor(cursor), 'body')).toEqual(cursor);
  expect(readCursor(null, 'body')).toBeUndefined();
  for (const text of ['x', '%%%', btoa('2026|x'), btoa('|')])
    expect(() => readCursor(text, 'body')).toThrow(expect.objectContaining({ kind: 'malformed' }));
});
