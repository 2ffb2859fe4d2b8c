import { expect, test } from 'vitest';
import { observability } from '@roadstead/contracts/observability';
import { uuidv7 } from '@roadstead/kit';
import { codesOf, MAX_EXAMPLES, outcomeOf, partsOf, summaryOf, uploadOf } from './experiment-rules.ts';

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
    { error: 'The answer can’t be used: it has more than 40000 bytes as JSON.' },
  ],
  [
    'NUL',
    { ...done, text: '\0' },
    { error: 'The answer can’t be used: it contains NUL or half of a surrogate pair.' },
  ],
  [
    'NUL in an error',
    { ...done, state: 'failed', text: 'a\0' },
    { error: 'The agent’s task is failed. a\u{FFFD}' },
  ],
  [
    'a question',
    { ...done, state: 'input-required', text: 'Which?' },
    { error: 'The agent’s task is input-required. Which?' },
  ],
  ['no end', { ...done, state: 'working' }, { error: 'The agent took longer than 9 s.' }],
])('when a task ends in %s, then the outcome says so', (_, task, expected) => {
  expect(outcomeOf(task, 9)).toEqual(expected);
});

test.each([
  [{ q: 'a' }, undefined, [{ kind: 'data', data: { q: 'a' } }]],
  [{ q: 'a', r: 'b' }, 'q', [{ kind: 'text', text: 'a' }]],
  [{ q: { n: 1 } }, 'q', [{ kind: 'text', text: '{"n":1}' }]],
  [{ q: 'a' }, 'constructor', 'The example has no input constructor.'],
  [{ q: null }, 'q', 'The example has no input q.'],
  [
    { q: 'x'.repeat(60_000) },
    undefined,
    'What is in inputs can’t be used: it has more than 40000 bytes as JSON.',
  ],
])('when the inputs are %j and the text is %s, then these parts are sent', (inputs, text_input, parts) => {
  expect(partsOf({ inputs }, text_input)).toEqual(parts);
});

test.each([
  [{ a: 1 }],
  [{ '': '() => 1' }],
  [Object.fromEntries(Array.from({ length: 11 }, (_, at) => [at, '() => 1']))],
])('when the evaluators are %j, then they are refused', (evaluators) => {
  expect(() => codesOf(evaluators)).toThrow(/evaluators/);
});

test('when scores are summed up, then that is by key, apart from those that failed', () => {
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

test('when an experiment is the largest there may be, then the API takes it', () => {
  const at = new Date();
  const text = '語'.repeat(13_000);
  const scores = Array.from({ length: 10 }, (_, key) => ({ key: String(key), value: '語'.repeat(1300) }));
  const example = { id: uuidv7(), inputs: { text } };
  const one = { example, outcome: outcomeOf({ ...done, text }, 9), scores, started_at: at, ended_at: at };
  expect(one.outcome).toEqual({ outputs: { text } });
  const ran = Array.from({ length: MAX_EXAMPLES }, () => one);
  const upload = uploadOf({ name: 'n', dataset_id: uuidv7(), began: at, ran, metadata: {} });
  expect(Buffer.byteLength(JSON.stringify(upload))).toBeLessThan(
    observability.uploadExperiment.max_body_bytes ?? 0,
  );
});

test('when an example is too large to be sent, then only its failure is recorded', () => {
  const at = new Date();
  const example = { id: uuidv7(), inputs: { text: 'x'.repeat(60_000) } };
  const ran = [{ example, outcome: { error: 'e' }, scores: [], started_at: at, ended_at: at }];
  const { results } = uploadOf({ name: 'n', dataset_id: uuidv7(), began: at, ran, metadata: {} });
  expect(results).toMatchObject([{ row_id: example.id, inputs: {}, error: 'e' }]);
});
