import fc from 'fast-check';
import { expect, test } from 'vitest';
import { codesOf, isLonger, outcomeOf, partsOf, summaryOf } from './experiment-rules.ts';

test('what is taken as short is so as JSON, but for what has to be escaped', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', ' ') });
  const value = fc.letrec((tie) => ({
    any: fc.oneof(letters, fc.boolean(), fc.array(tie('any')), fc.dictionary(letters, tie('any'))),
  })).any;
  fc.assert(
    fc.property(value, fc.integer({ min: 1, max: 500 }), (given, chars) => {
      expect(isLonger(given, chars) || JSON.stringify(given).length <= chars).toBe(true);
    }),
  );
});

const done = { task_id: 't', context_id: 'c', state: 'completed', text: '' };

test.each([
  ['text', { ...done, text: 'yes' }, { outputs: { text: 'yes' } }],
  ['data', { ...done, data: { n: 1 } }, { outputs: { n: 1 } }],
  ['both', { ...done, text: 'yes', data: { n: 1 } }, { outputs: { n: 1, text: 'yes' } }],
  ['a list', { ...done, data: [1] }, { outputs: { data: [1] } }],
  ['nothing', done, { outputs: {} }],
  [
    'too much',
    { ...done, text: 'x'.repeat(60_000) },
    { error: 'The answer has more than 50000 characters.' },
  ],
  [
    'a question',
    { ...done, state: 'input-required', text: 'Which?' },
    { error: 'The agent’s task is input-required. Which?' },
  ],
  ['no end', { ...done, state: 'working' }, { error: 'The agent took longer than 9 s.' }],
])('a task that ends in %s', (_, task, expected) => {
  expect(outcomeOf(task, 9)).toEqual(expected);
});

test.each([
  [{ q: 'a' }, undefined, [{ kind: 'data', data: { q: 'a' } }]],
  [{ q: 'a', r: 'b' }, 'q', [{ kind: 'text', text: 'a' }]],
  [{ q: { n: 1 } }, 'q', [{ kind: 'text', text: '{"n":1}' }]],
  [{ q: null }, 'q', 'The example has no input q.'],
  [{ q: 'x'.repeat(60_000) }, undefined, 'The inputs have more than 50000 characters.'],
])('of the inputs %j with the text %s is sent', (inputs, text_input, parts) => {
  expect(partsOf({ inputs }, text_input)).toEqual(parts);
});

test.each([
  [{ a: 1 }],
  [{ '': '() => 1' }],
  [Object.fromEntries(Array.from({ length: 11 }, (_, at) => [at, '() => 1']))],
])('the evaluators %j are refused', (evaluators) => {
  expect(() => codesOf(evaluators)).toThrow(/evaluators/);
});

test('scores are summed up by key, apart from those that failed', () => {
  const at = new Date();
  const ran = (scores: Parameters<typeof summaryOf>[0][number]['scores']) => ({
    example: { id: 'e', inputs: {} },
    outcome: { outputs: {} },
    scores,
    started_at: at,
    ended_at: at,
  });
  const failed = { key: 'a', error: true, comment: 'The evaluator failed: x' };
  expect(summaryOf([ran([{ key: 'a', score: true }]), ran([{ key: 'a', score: 0 }]), ran([failed])])).toEqual(
    {
      examples_run: 3,
      examples_failed: 0,
      scores: { a: { n: 3, avg: 0.5, errors: 1, first_error: 'The evaluator failed: x' } },
    },
  );
});
