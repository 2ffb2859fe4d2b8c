import { expect, test } from 'vitest';
import { changeOf, charts, figureOf, lineOfGroups, timesOf, valuesAt } from './monitoring-rules.ts';

test.each([
  [{ now: 110, before: 100 }, 'worse', { word: '+10 %', tone: 'bad' }],
  [{ now: 95, before: 100 }, 'worse', { word: '−5.0 %', tone: 'good' }],
  [{ now: 300, before: 100 }, 'neither', { word: '+200 %', tone: 'quiet' }],
  [{ now: 100.1, before: 100 }, 'worse', { word: 'as before', tone: 'quiet' }],
  [{ now: 5, before: 0 }, 'worse', undefined],
  [{ now: null, before: 3 }, 'worse', undefined],
] as const)('when %j is compared, and more is %s, then it is %j', (figures, more, change) => {
  expect(changeOf(figures, more)).toEqual(change);
});

test('when a period begins within a bucket, then the bucket is the first, and each has its begin', () => {
  const start_time = '2026-01-05T00:00:30Z';
  const times = timesOf({ start_time, end_time: '2026-01-05T00:03:00Z', bucket_s: 60 });
  expect(times.map((time) => new Date(time).toISOString())).toEqual([
    '2026-01-05T00:00:00.000Z',
    '2026-01-05T00:01:00.000Z',
    '2026-01-05T00:02:00.000Z',
  ]);
});

test('when a bucket has no runs, then a count is 0 there and a percentile is absent', () => {
  const sums = { runs: 2, errors: 0, error_rate: 0 };
  const series = {
    kind: 'all' as const,
    group: null,
    points: [
      { ...sums, start_time: '2026-01-05T00:00:00Z', latency_p50: 1.5 },
      { ...sums, start_time: '2026-01-05T00:02:00Z', latency_p50: 2 },
    ],
    total: sums,
    before: null,
  };
  const times = [0, 1, 2].map((minute) => Date.parse('2026-01-05T00:00:00Z') + minute * 60_000);
  const runs = valuesAt(series, { times_ms: times, of: ({ runs: one }) => one, empty: 0 });
  const latency = valuesAt(series, {
    times_ms: times,
    of: ({ latency_p50 }) => latency_p50 ?? null,
    empty: null,
  });
  expect([runs, latency]).toEqual([
    [2, 0, 2],
    [1.5, null, 2],
  ]);
});

test.each([
  ['Latency', 'p99', 'p99'],
  ['Time to the first token', 'p99', 'p50'],
  ['Cost', 'p95', 'cost'],
] as const)(
  'when groups of %s are asked for by %s, then their lines are of %s',
  (title, percentile, label) => {
    const chart = charts.find((one) => one.title === title);
    expect(chart && lineOfGroups(chart, percentile)?.label).toBe(label);
  },
);

test('when a period has one before it, then each line of a chart has a figure and its change', () => {
  const sums = { error_rate: 0.5, latency_p50: 1, latency_p95: 4, latency_p99: 9 };
  const all = {
    kind: 'all' as const,
    group: null,
    points: [],
    total: { ...sums, runs: 20, errors: 10 },
    before: { ...sums, runs: 10, errors: 5, latency_p95: 2, latency_p99: null },
  };
  const figures = charts
    .slice(0, 3)
    .map((chart) => chart.lines.map((line) => figureOf(line, { chart, all })));
  expect(figures).toEqual([
    [
      { label: 'runs', value: '20', change: { word: '+100 %', tone: 'quiet' } },
      { label: 'errors', value: '10', change: { word: '+100 %', tone: 'bad' } },
    ],
    [{ label: 'error rate', value: '50 %', change: { word: 'as before', tone: 'quiet' } }],
    [
      { label: 'p50', value: '1.00 s', change: { word: 'as before', tone: 'quiet' } },
      { label: 'p95', value: '4.00 s', change: { word: '+100 %', tone: 'bad' } },
      { label: 'p99', value: '9.00 s', change: undefined },
    ],
  ]);
});
