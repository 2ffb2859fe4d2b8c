import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkTimes, endTimeOf, nextRunOf } from './cron-rules.ts';

const now = new Date('2026-11-22T23:00:00Z');
const times = (schedule: string, more: object = {}) => ({
  schedule,
  timezone: null,
  end_time: null,
  enabled: true,
  ...more,
});

test.each([
  ['* * * * *', null, '2026-11-22T23:01:00.000Z'],
  ['*/10 * * * * *', null, '2026-11-22T23:00:10.000Z'],
  ['0 9 * * 1-5', 'Europe/Berlin', '2026-11-23T08:00:00.000Z'],
  ['0 9 * * MON', 'America/New_York', '2026-11-23T14:00:00.000Z'],
  ['@daily', 'Asia/Tokyo', '2026-11-23T15:00:00.000Z'],
  ['0 0 29 2 *', null, '2028-02-29T00:00:00.000Z'],
  ['0 0 L * *', null, '2026-11-30T00:00:00.000Z'],
])('when the schedule is %s in %s, then it comes next at %s', (schedule, timezone, next) => {
  expect(nextRunOf(times(schedule, { timezone }), now)?.toISOString()).toBe(next);
});

describe('when clocks change', () => {
  const berlin = times('30 2 * * *', { timezone: 'Europe/Berlin' });
  test('when an hour does not exist, then the one after it counts', () => {
    const next = nextRunOf(berlin, new Date('2026-03-28T12:00:00Z'));
    expect(next?.toISOString()).toBe('2026-03-29T01:00:00.000Z');
  });
  test('when an hour comes twice, then it counts once', () => {
    const first = nextRunOf(berlin, new Date('2026-10-24T12:00:00Z'));
    expect(first?.toISOString()).toBe('2026-10-25T00:30:00.000Z');
    expect(nextRunOf(berlin, first as Date)?.toISOString()).toBe('2026-10-26T01:30:00.000Z');
  });
});

test('when a cron’s end is over or it is disabled, then it has no next run', () => {
  const end_time = '2026-11-22T23:02:00Z';
  expect(nextRunOf(times('* * * * *', { end_time }), now)).not.toBeNull();
  expect(nextRunOf(times('*/5 * * * *', { end_time }), now)).toBeNull();
  expect(nextRunOf(times('* * * * *', { enabled: false }), now)).toBeNull();
});

test.each([
  ['never', null, 'schedule'],
  ['', null, 'schedule'],
  ['61 * * * *', null, 'schedule'],
  ['* * * *', null, 'schedule'],
  ['0 0 30 2 *', null, 'schedule'],
  ['2026-12-01T00:00:00', null, 'schedule'],
  ['0 0 1 1 * * 2020', null, 'schedule'],
  ['*/0 * * * *', null, 'schedule'],
  ['* * * * *', 'Nowhere/Here', 'timezone'],
  ['* * * * *', '+02:00', 'timezone'],
])('when the schedule is "%s" in %s, then it is refused by its field', (schedule, timezone, field) => {
  expect(() => checkTimes({ schedule, timezone }, now)).toThrow(
    expect.objectContaining({
      kind: 'malformed',
      issues: [expect.objectContaining({ loc: ['body', field] })],
    }),
  );
});

test.each([
  ['2026-12-01T00:00:00', '2026-12-01T00:00:00.000Z'],
  ['2026-12-01T00:00:00.123456', '2026-12-01T00:00:00.123Z'],
  ['2026-12-01T02:00:00+02:00', '2026-12-01T00:00:00.000Z'],
  [null, null],
])('when an end is written as %s, then it is %s', (written, end) => {
  expect(endTimeOf(written)).toBe(end);
});

const field = fc
  .tuple(fc.constantFrom('', 'L', '#', 'W', '?', '+', 'MON', 'JAN'), fc.string({ maxLength: 12 }), fc.nat(70))
  .chain(([word, any, number]) =>
    fc.constantFrom(word, any, '*', `${number}`, `*/${number}`, `1-${number}`, `${number},${word}`),
  );

test('when any text is a schedule, then it comes after the time at which it is asked for', () => {
  const schedules = fc
    .array(field, { minLength: 1, maxLength: 7 })
    .map((fields) => fields.join(' ').slice(0, 256));
  const checked = fc.property(schedules, (schedule) => {
    const next = nextRunOf(times(schedule, { timezone: 'Europe/Berlin' }), now);
    expect(next?.getTime() ?? Infinity).toBeGreaterThan(now.getTime());
  });
  fc.assert(checked, { numRuns: 2000 });
});
