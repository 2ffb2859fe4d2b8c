import { longestHold } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { Evaluators } from './evaluators.ts';
import { scoreOf } from './score-rules.ts';

const GIVEN = [{ question: 'q' }, { text: 'yes' }, { text: 'Yes' }];
const failure = (says: string | RegExp) => ({
  error: true,
  extra: { error: true },
  comment: expect.stringMatching(says) as string,
});

test.each([
  ['a boolean', '(inputs, outputs, wanted) => outputs.text === wanted.text.toLowerCase()', { score: true }],
  ['a number', 'function (inputs, outputs) { return outputs.text.length / 4 }', { score: 0.75 }],
  ['a score with a comment', '() => ({ score: 0.5, comment: "so so" })', { score: 0.5, comment: 'so so' }],
  ['a score of another key', '() => ({ key: "other", score: 1 })', { key: 'other', score: 1 }],
  ['a text', '(inputs) => inputs.question // and a comment', { value: 'q' }],
  ['nothing', '() => {}', failure('gave no a boolean')],
  ['no number', '() => 0 / 0', failure('gave no a boolean')],
  ['an exception', '(inputs, outputs) => outputs.missing.length', failure('TypeError')],
  ['an exception that is no error', '() => { throw { a: 1 } }', failure('threw \\{"a":1\\}')],
  ['a promise', 'async () => true', failure('async')],
  ['a loop', '() => { for (;;); }', failure('longer than 1 s')],
  [
    'a regular expression without end',
    '() => /^(a+)+$/.test("a".repeat(40) + "b")',
    failure(/longer|too much/),
  ],
  [
    'more memory than there is',
    '() => { let a = []; for (;;) a.push("x".repeat(1e6) + a.length) }',
    failure(/memory|longer|too much/),
  ],
  ['recursion without end', 'function f() { return f() + 1 }', failure(/stack|too much/i)],
  ['a result that is too long', '() => "x".repeat(30000)', failure('too long')],
  [
    'the outside',
    '() => [typeof fetch, typeof process, typeof require, typeof setTimeout, typeof WebAssembly].join()',
    { value: 'undefined,undefined,undefined,undefined,undefined' },
  ],
  [
    'a way out',
    '() => (0, eval)("this").constructor.constructor("return typeof process")()',
    { value: 'undefined' },
  ],
  ['a deep result', '() => JSON.parse("[".repeat(1900) + "]".repeat(1900))', failure('levels')],
  ['a result with NUL', '() => ({ score: 1, comment: "\\0" })', failure('NUL')],
  ['an error with half of a pair', '() => { throw new Error("\\ud800") }', failure('Error: \u{FFFD}')],
  ['what is thrown as a number', '() => { throw 1n }', failure('threw 1')],
  ['another JSON', '() => { JSON.stringify = () => "{"; return 1 }', failure('something else')],
  [
    'another length',
    '() => { JSON.stringify = () => ({ length: 0, toString: () => "7".repeat(1e6) }) }',
    failure('something else'),
  ],
  ['a way past its own call', '() => 1); return "null"; (1', failure('something else')],
  ['an import', '() => import("node:fs")', failure(/async|import/i)],
])(
  'when an evaluator gives %s, then that is its score or its error, and the next one runs',
  async (_, code, expected) => {
    await using evaluators = new Evaluators({ codes: { key: code } });
    expect(await evaluators.scores(GIVEN)).toEqual([{ key: 'key', ...expected }]);
    // Whatever the first one did, the next one runs.
    await using next = new Evaluators({ codes: { fine: '() => 1' } });
    expect(await next.scores(GIVEN)).toEqual([{ key: 'fine', score: 1 }]);
  },
);

test('when one call fails, then the others go on, and calls share nothing', async () => {
  const codes = {
    counts: '() => { globalThis.n = (globalThis.n ?? 0) + 1; return globalThis.n }',
    throws: '() => { throw 1 }',
  };
  await using evaluators = new Evaluators({ codes });
  const all = await Promise.all(Array.from({ length: 5 }, () => evaluators.scores(GIVEN)));
  for (const scores of all)
    expect(scores).toMatchObject([
      { key: 'counts', score: 1 },
      { key: 'throws', error: true },
    ]);
});

test.each([
  ['no JavaScript', '(inputs => ', 'SyntaxError'],
  ['no function', '42', 'gives no function'],
])('when code is %s, then it is refused before anything runs', async (_, code, says) => {
  await using evaluators = new Evaluators({ codes: { fine: '() => 1', wrong: code } });
  await expect(evaluators.check()).rejects.toMatchObject({
    kind: 'malformed',
    issues: [{ loc: ['evaluators.wrong'], msg: expect.stringContaining(says) as string }],
  });
});

test('when what is given is too large, then every evaluator answers with an error', async () => {
  await using evaluators = new Evaluators({ codes: { a: '() => 1', b: '() => 1' } });
  const scores = await evaluators.scores([{ text: 'x'.repeat(200_000) }, {}, null]);
  expect(scores).toEqual(['a', 'b'].map((key) => ({ key, ...failure('more than 100000 bytes') })));
});

test('when an evaluator loops, then it holds nobody else up, and all calls together have an end', async () => {
  await using evaluators = new Evaluators({ codes: { loop: '() => { for (;;); }' }, budget_ms: 500 });
  const held_ms = await longestHold(async () => {
    const [first, second] = [await evaluators.scores(GIVEN), await evaluators.scores(GIVEN)];
    expect([first, second]).toMatchObject([
      [{ comment: expect.stringContaining('longer than') as string }],
      [{ comment: expect.stringContaining('together is over') as string }],
    ]);
  });
  // The target is 50; the rest is for slow machines.
  expect(held_ms).toBeLessThan(100);
});

test.each([
  [{ score: 'high' }, { error: true }],
  [{ score: null }, { error: true }],
  [{ value: { a: 1 } }, { score: null, value: { a: 1 } }],
  [
    { key: '', score: false },
    { key: 'k', score: false },
  ],
  [[1], { error: true }],
])('when the result is %j, then it is kept as %j', (result, expected) => {
  expect(scoreOf('k', { json: JSON.stringify({ result }) })).toMatchObject(expected);
});
