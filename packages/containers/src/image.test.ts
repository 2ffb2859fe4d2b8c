import { expect, test } from 'vitest';
import { imageFactsOf } from './image.ts';

const checkOf = (Healthcheck: unknown, Shell?: unknown) =>
  imageFactsOf({ Id: 'sha256:1', Os: 'linux', Architecture: 'amd64', Config: { Healthcheck, Shell } }).check;
const s = (count: number) => count * 1_000_000_000;
const defaults = { interval_s: 30, start_interval_s: 5, timeout_s: 30, retries: 3 };

test.each<[string, unknown, unknown, object]>([
  ['words', { Test: ['CMD', 'curl', '-f', 'x'] }, undefined, { command: ['curl', '-f', 'x'], ...defaults }],
  ['a line', { Test: ['CMD-SHELL', 'a || b'] }, undefined, { command: ['/bin/sh', '-c', 'a || b'] }],
  [
    'a line for its own shell',
    { Test: ['CMD-SHELL', 'a'] },
    ['/bin/bash', '-ec'],
    { command: ['/bin/bash', '-ec', 'a'] },
  ],
  [
    'times of its own',
    {
      Test: ['CMD', 'a'],
      Interval: s(10),
      Timeout: s(2),
      Retries: 5,
      StartPeriod: s(60),
      StartInterval: s(1),
    },
    undefined,
    { interval_s: 10, start_interval_s: 1, timeout_s: 2, retries: 5 },
  ],
  [
    'parts of a second',
    { Test: ['CMD', 'a'], Interval: 1e6, Timeout: 1.5e9 },
    null,
    { interval_s: 1, start_interval_s: 1, timeout_s: 2 },
  ],
  ['zeroes', { Test: ['CMD', 'a'], Interval: 0, Timeout: 0, Retries: 0, StartInterval: 0 }, null, defaults],
  ['nulls', { Test: ['CMD', 'a'], Interval: null, Timeout: null, Retries: null }, null, defaults],
  ['less than nothing', { Test: ['CMD', 'a'], Interval: -1, Retries: -2 }, null, defaults],
  [
    'an age',
    { Test: ['CMD', 'a'], Interval: s(1e9), Retries: 1e12 },
    null,
    { interval_s: 86_400, retries: 86_400 },
  ],
])('when the check of an image has %s, then it is read as engines do', (_case, check, shell, expected) => {
  expect(checkOf(check, shell)).toMatchObject(expected);
});

test.each<[string, unknown]>([
  ['none', undefined],
  ['null', null],
  ['one that was taken away', { Test: ['NONE'] }],
  ['one that it only inherits', { Test: [] }],
  ['only times', { Interval: s(1) }],
  ['no command', { Test: ['CMD'] }],
  ['a form that nobody knows', { Test: ['HTTP', '/ok'] }],
  ['nonsense', { Test: 'curl' }],
  ['a text', 'curl'],
])('when the check of an image is %s, then it has none', (_case, check) => {
  expect(checkOf(check)).toBeUndefined();
});
