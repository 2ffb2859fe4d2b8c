import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSecretBox, uuidv7 } from '@roadstead/kit';
import { BLANK_RULE, keptRule, type SentRule } from './rule-fields-rules.ts';
import { isSampled } from './rule-decision-work.ts';
import { retryAfter } from './rule-rules.ts';
import { keepWebhooks, MASK, openWebhook, ruleRowOf, webhookAnswer } from './rule-webhooks.ts';

const ID = '11111111-1111-4111-8111-111111111111';
const to = {
  box: createSecretBox(['a secret key of tests']),
  row: ruleRowOf({ workspace_id: ID, rule_id: ID }),
};
const whole: SentRule = { display_name: 'a rule', session_id: ID, extend_only: true, sampling_rate: 1 };
const kept = (sent: SentRule) => keptRule(BLANK_RULE, { ...to, sent });

describe('sampling', () => {
  test('when a share is smaller, then it takes only what a larger one takes; 1 takes all, 0 none', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.double({ min: 0, max: 1, noNaN: true }), (id, rate) => {
        expect(isSampled(id, 1)).toBe(true);
        expect(isSampled(id, 0)).toBe(false);
        expect(isSampled(id.toUpperCase(), rate)).toBe(isSampled(id, rate));
        expect(isSampled(id, rate) || !isSampled(id, rate / 2)).toBe(true);
      }),
    );
  });

  test.each([0.05, 0.5, 0.9])('when the rate is %d, then about that share is taken', (rate) => {
    const taken = Array.from({ length: 20_000 }, () => uuidv7()).filter((id) => isSampled(id, rate)).length;
    expect(Math.abs(taken / 20_000 - rate)).toBeLessThan(0.02);
  });
});

test('when something fails, then it is tried again later each time, ten times', () => {
  expect(Array.from({ length: 10 }, (_, index) => retryAfter(index + 1))).toEqual([
    2,
    6,
    18,
    54,
    162,
    486,
    1458,
    3600,
    3600,
    undefined,
  ]);
});

test.each<[string, SentRule & Record<string, unknown>, RegExp]>([
  ['of nothing', { ...whole, session_id: null }, /"session_id" or "dataset_id"/],
  ['of a project and a dataset', { ...whole, dataset_id: ID }, /"session_id" or "dataset_id"/],
  ['that does nothing', { ...whole, extend_only: false }, /needs an action/],
  [
    'with a model as its judge',
    { ...whole, evaluators: [{ structured: {} }] },
    /"evaluators" is not taken.*no evaluators/,
  ],
  [
    'with code as its judge',
    { ...whole, code_evaluators: [{ code: '1' }] },
    /"code_evaluators" is not taken/,
  ],
  ['with an evaluator', { ...whole, evaluator_id: ID }, /"evaluator_id" is not taken/],
  ['with alerts', { ...whole, alerts: [{ routing_key: 'k' }] }, /"alerts" is not taken.*webhook/],
  ['of threads', { ...whole, group_by: 'thread_id' }, /"group_by" is not taken/],
  ['of the past', { ...whole, backfill_from: '2026-01-01T00:00:00Z' }, /"backfill_from" is not taken/],
  ['that calls no web address', { ...whole, webhooks: [{ url: 'ftp://a.test' }] }, /http or https/],
  ['that calls with a password', { ...whole, webhooks: [{ url: 'https://a:b@a.test' }] }, /"headers"/],
  [
    'with a header of the sender',
    { ...whole, webhooks: [{ url: 'https://a.test', headers: { Host: 'b' } }] },
    /set by the sender/,
  ],
  [
    'with a header that is none',
    { ...whole, webhooks: [{ url: 'https://a.test', headers: { 'a b': 'c' } }] },
    /HTTP does not take/,
  ],
  [
    'with a mask of nothing',
    { ...whole, webhooks: [{ url: 'https://a.test', headers: { a: MASK } }] },
    /masks a header/,
  ],
  [
    'with a weak secret',
    { ...whole, webhooks: [{ url: 'https://a.test', secret: 'whsec_c2hvcnQ=' }] },
    /24 to 64 bytes/,
  ],
  [
    'with an address twice',
    { ...whole, webhooks: [{ url: 'https://a.test' }, { url: 'https://a.test' }] },
    /twice/,
  ],
])('when a rule comes %s, then it is refused', (_what, sent, message) =>
  expect(() => kept(sent)).toThrow(message),
);

test('when a client sends along what asks for nothing, then the rule is taken', () => {
  const empty = { evaluators: [], code_evaluators: null, transient: false, alerts: [] };
  const { fields } = kept({ ...whole, ...empty });
  expect(fields).toEqual({ ...BLANK_RULE, ...whole });
});

test('when a rule is changed, then what is absent stays, and null takes away', () => {
  const { fields } = kept({ ...whole, filter: 'eq(name, "a")', webhooks: [{ url: 'https://a.test' }] });
  const changed = keptRule(fields, { ...to, sent: { filter: null, sampling_rate: 0.5 } });
  expect(changed.fields).toEqual({ ...fields, filter: null, sampling_rate: 0.5 });
  expect(keptRule(fields, { ...to, sent: { webhooks: null } }).fields.webhooks).toEqual([]);
});

test('when a webhook is shown, then its secret is once, its headers never, and a mask keeps them', () => {
  const url = 'https://a.test/hook';
  const [made] = keepWebhooks([{ url, headers: { Authorization: 'Bearer secret-of-theirs' } }], {
    ...to,
    present: [],
  });
  if (made === undefined) throw new Error('There is no webhook.');
  expect(JSON.stringify(made.sealed)).not.toContain('secret-of-theirs');
  expect(webhookAnswer(made.sealed, made.new_secret)).toEqual({
    url,
    headers: { Authorization: MASK },
    secret: expect.stringMatching(/^whsec_/) as string,
  });
  expect(webhookAnswer(made.sealed).secret).toBe(MASK);
  const [again] = keepWebhooks([webhookAnswer(made.sealed)], { ...to, present: [made.sealed] });
  expect(again?.new_secret).toBeUndefined();
  expect(again && openWebhook(again.sealed, to)).toEqual(openWebhook(made.sealed, to));
  expect(() =>
    openWebhook(made.sealed, { ...to, row: ruleRowOf({ workspace_id: uuidv7(), rule_id: ID }) }),
  ).toThrow();
});
