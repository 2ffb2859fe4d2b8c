import { expect, test } from 'vitest';
import { isMonth, monthAfter, usageByDay, usageByProject } from './usage-rules.ts';

const line = (day: string, value: number, billable_metric_id = 'langsmith-traces') => ({
  billable_metric_id,
  start_timestamp: `${day}T00:00:00+00:00`,
  value,
});

test('when days are summed, then the latest comes first, with what is kept long beside it', () => {
  const lines = [
    line('2026-11-01', 3),
    line('2026-11-02', 5),
    line('2026-11-02', 2, 'langsmith-extended-retention'),
  ];
  expect(usageByDay(lines)).toEqual([
    { day: '2026-11-02', traces: 5, longlived: 2 },
    { day: '2026-11-01', traces: 3, longlived: 0 },
  ]);
});

test('when projects are summed, then the largest comes first', () => {
  const of = (project_id: string, traces: number) => ({
    traces,
    dimensions: { project_id, project_name: project_id },
  });
  expect(usageByProject([of('a', 1), of('b', 4), of('a', 2)])).toEqual([
    { project: 'b', traces: 4 },
    { project: 'a', traces: 3 },
  ]);
});

test.each([
  ['2026-11', 1, '2026-12'],
  ['2026-12', 1, '2027-01'],
  ['2026-01', -1, '2025-12'],
])('when it is %s, then %d months later it is %s', (month, step, other) => {
  expect(monthAfter(month, step)).toBe(other);
});

test.each([
  ['2026-11', true],
  ['2026-13', false],
  ['now', false],
])('when an address holds the month %s, then that it is one is %s', (text, answer) => {
  expect(isMonth(text)).toBe(answer);
});
