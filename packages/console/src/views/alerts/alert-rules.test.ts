import { expect, test } from 'vitest';
import type { Alert } from '@roadstead/contracts/observability';
import {
  changesOf,
  emptyForm,
  formOf,
  requestOf,
  sentenceOf,
  windowOf,
  windowOptions,
} from './alert-rules.ts';

test.each([
  [
    { metric: 'error_rate', comparison: 'above', threshold: 0.1, window_s: 900 },
    'Error rate above 10 % over 15 min',
  ],
  [
    { metric: 'latency_p95', comparison: 'above', threshold: 2.5, window_s: 3600 },
    'Latency, p95 above 2.50 s over 1 h',
  ],
  [{ metric: 'runs', comparison: 'below', threshold: 1, window_s: 86_400 }, 'Runs below 1 over 24 h'],
] as const)('when an alert is %j, then it is told in a sentence', (condition, sentence) => {
  expect(sentenceOf(condition)).toBe(sentence);
});

test('when fields are left empty, then nothing is asked for them', () => {
  expect(requestOf({ ...emptyForm, name: ' errors ', feedback_key: 'left over' })).toMatchObject({
    name: 'errors',
    resolve_threshold: null,
    project_ids: null,
    filter: null,
    feedback_key: null,
    webhooks: [],
    mail_to: [],
  });
});

test('when addresses are separated by commas, spaces or lines, then each is told', () => {
  expect(requestOf({ ...emptyForm, mail_to: 'a@example.com, b@example.com\nc@example.com' }).mail_to).toEqual(
    ['a@example.com', 'b@example.com', 'c@example.com'],
  );
});

const alert = {
  ...requestOf({ ...emptyForm, name: 'errors' }),
  project_ids: ['a', 'b'],
  webhooks: [
    { url: 'https://one.example/x', secret: '***' },
    { url: 'https://two.example/x', secret: '***' },
  ],
} as object as Alert;

test('when nothing is edited, then nothing is changed', () => {
  expect(changesOf(alert, formOf(alert))).toEqual({});
});

test('when a threshold is edited, then projects and webhooks stay', () => {
  expect(changesOf(alert, { ...formOf(alert), threshold: '0.5' })).toEqual({ threshold: 0.5 });
});

test('when a webhook is added, then the others keep their secrets and headers', () => {
  const { webhooks } = alert;
  const form = formOf(alert);
  const added = { ...form, webhooks: `${form.webhooks}\nhttps://three.example/x` };
  expect(changesOf(alert, added)).toEqual({ webhooks: [...webhooks, { url: 'https://three.example/x' }] });
});

test('when an alert was evaluated, then its window is the time before, of its runs', () => {
  const of = { evaluated_at: '2026-01-05T01:00:00Z', window_s: 3600, runs: 'all', filter: null } as const;
  const range = { from: '2026-01-05T00:00:00.000Z', to: '2026-01-05T01:00:00.000Z' };
  expect(windowOf(of, 0)).toEqual({ ...range, runs: 'all' });
  const filter = 'eq(name, "a")';
  expect(windowOf({ ...of, runs: 'roots', filter }, 0)).toEqual({ ...range, filter });
});

test.each([
  [{ threshold: '0,05' }, /^Threshold: “0,05” is no number/],
  [{ threshold: ' ' }, /^Threshold: “ ” is no number/],
  [{ resolve_threshold: '0,02' }, /^Is over at: “0,02” is no number/],
])('when a form has %j, then it is refused in words', (fields, words) => {
  expect(() => requestOf({ ...emptyForm, ...fields })).toThrow(words);
});

test.each([
  ['900', ['5 minutes', '15 minutes', '1 hour']],
  ['600', ['5 minutes', '10 min', '15 minutes']],
  ['90', ['1 min 30 s', '5 minutes', '15 minutes']],
])('when an alert is over %s seconds, then its form offers that', (window_s, first) => {
  const options = windowOptions(window_s);
  expect(options.slice(0, 3).map(([, label]) => label)).toEqual(first);
  expect(options.map(([value]) => value)).toContain(window_s);
});
