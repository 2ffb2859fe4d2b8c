import { expect, test } from 'vitest';
import { timeOf } from './time-rules.ts';

const now = Date.parse('2026-01-31T12:00:00Z');
const told = { option: '--since', now };

test.each([
  ['30s', '2026-01-31T11:59:30.000Z'],
  ['10m', '2026-01-31T11:50:00.000Z'],
  ['2h', '2026-01-31T10:00:00.000Z'],
  ['1d', '2026-01-30T12:00:00.000Z'],
  ['2026-01-31T11:00:00Z', '2026-01-31T11:00:00.000Z'],
  ['2026-01-31T11:00:00+01:00', '2026-01-31T10:00:00.000Z'],
])('when a time is given as %s, then it is read', (text, time) => {
  expect(timeOf(text, told)).toBe(time);
});

test.each(['yesterday', '10', '10w', '', '-5m', '999999999d'])(
  'when a time is given as %j, then it is refused by the name of its option',
  (text) => {
    expect(() => timeOf(text, told)).toThrow(/^--since must be a time/);
  },
);
