import { describe, expect, it } from 'vitest';
import {
  type Answers,
  asked,
  choicesOf,
  type Config,
  configOf,
  configWanted,
  hasNewKey,
  neighbour,
  type Question,
  unanswered,
} from './rubric-rules.ts';

const labels = (config: Config | undefined) => choicesOf(config).map(({ label }) => label);

describe('what can be chosen by a key', () => {
  it.each([
    ['nothing is configured', undefined, ['good', 'bad']],
    ['a score is 0 to 1', { type: 'continuous', min: 0, max: 1 }, ['good', 'bad']],
    ['a score is 1 to 5', { type: 'continuous', min: 1, max: 5 }, ['1', '2', '3', '4', '5']],
    ['a score is 0 to 100', { type: 'continuous', min: 0, max: 100 }, []],
    ['words are written', { type: 'freeform' }, []],
    [
      'there are categories',
      { type: 'categorical', categories: [{ value: 0, label: 'no' }, { value: 2 }] },
      ['no', '2'],
    ],
  ] satisfies [string, Config | undefined, string[]][])(
    'when %s, then these are shown',
    (_case, config, found) => {
      expect(labels(config)).toEqual(found);
    },
  );

  it('when a question has its own configuration, then that of its key does not count', () => {
    const configs = new Map<string, Config>([['tone', { type: 'freeform' }]]);
    expect(configOf({ feedback_key: 'tone' }, configs)).toEqual({ type: 'freeform' });
    const own = { feedback_key: 'tone', feedback_config: { type: 'continuous', min: 1, max: 3 } };
    expect(labels(configOf(own, configs))).toEqual(['1', '2', '3']);
    expect(configOf({ feedback_key: 'other' }, configs)).toBeUndefined();
  });
});

describe('conditions on other answers', () => {
  const bad: Answers = new Map([['helpful', { score: 0 }]]);
  const good: Answers = new Map([['helpful', { score: 1 }]]);
  const question = (op: 'is' | 'is_one_of' | 'is_empty' | 'is_not_empty', values: number[]): Question => ({
    feedback_key: 'why',
    visible_if: { join: 'all', rules: [{ key: 'helpful', op, values }] },
  });
  it.each([
    ['is', [0], bad, 1],
    ['is', [0], good, 0],
    ['is_one_of', [0, 1], good, 1],
    ['is_empty', [], new Map(), 1],
    ['is_empty', [], good, 0],
    ['is_not_empty', [], good, 1],
  ] as const)(
    'when a question is asked if another %s %j, then its answer decides',
    (op, values, answers, count) => {
      expect(asked([question(op, [...values])], answers)).toHaveLength(count);
    },
  );

  it('when a required question is hidden, then it need not be answered', () => {
    const rubric: Question[] = [
      { feedback_key: 'helpful', is_required: true },
      { ...question('is', [0]), is_required: true },
      {
        feedback_key: 'fix',
        required_if: { join: 'any', rules: [{ key: 'helpful', op: 'is', values: [0] }] },
      },
    ];
    const keys = (answers: Answers) => unanswered(rubric, answers).map(({ feedback_key }) => feedback_key);
    expect(keys(new Map())).toEqual(['helpful']);
    expect(keys(good)).toEqual([]);
    expect(keys(bad)).toEqual(['why', 'fix']);
    expect(keys(new Map([...bad, ['why', { text: 'rude' }], ['fix', { score: 1 }]]))).toEqual([]);
  });
});

it('when one goes from question to question, then it goes round about', () => {
  const rubric = ['a', 'b', 'c'].map((feedback_key) => ({ feedback_key }));
  expect(neighbour(rubric, { key: 'a', step: 1 })).toBe('b');
  expect(neighbour(rubric, { key: 'a', step: -1 })).toBe('c');
  expect(neighbour(rubric, { key: undefined, step: 1 })).toBe('b');
  expect(neighbour([], { key: 'a', step: 1 })).toBeUndefined();
});

it.each([
  ['text', { type: 'freeform' }],
  ['number', { type: 'continuous', min: 1, max: 5 }],
  [
    'categories',
    {
      type: 'categorical',
      categories: [
        { value: 0, label: 'no' },
        { value: 1, label: 'yes' },
      ],
    },
  ],
  [
    'good or bad',
    {
      type: 'categorical',
      categories: [
        { value: 1, label: 'good' },
        { value: 0, label: 'bad' },
      ],
    },
  ],
] as const)('when a form wants %s, then its configuration says so', (kind, config) => {
  expect(configWanted({ kind, min: 1, max: 5, categories: ['no', 'yes'] })).toEqual(config);
});

it.each([
  [{ key: 'helpful', kept: undefined }, true],
  [{ key: 'helpful', kept: { feedback_key: 'helpful' } }, false],
  [{ key: 'kind', kept: { feedback_key: 'helpful' } }, true],
])('when a question is %j, then its key is new: %s', (question, is) => {
  expect(hasNewKey(question)).toBe(is);
});
