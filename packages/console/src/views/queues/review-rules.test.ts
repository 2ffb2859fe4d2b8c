import { expect, it } from 'vitest';
import { answersOf, ownFeedback, piecesOf, takenBack } from './review-rules.ts';
import type { Config } from './rubric-rules.ts';

const given = (key: string, reviewer: string, more: object = {}) => ({
  id: `${key} of ${reviewer}`,
  key,
  score: null,
  value: null,
  comment: null,
  correction: null,
  feedback_source: { type: 'app', metadata: { annotation_queue_id: 'q', reviewer } },
  ...more,
});

it('when a person comes back, then only what they said in this queue is shown again', () => {
  const own = ownFeedback(
    [
      given('helpful', 'anna', { score: 1 }),
      given('helpful', 'anna', { score: 0 }),
      given('helpful', 'ben', { score: 0 }),
      given('why', 'anna', { value: 'short' }),
      given('note', 'anna', { comment: 'fine' }),
      given('tone', 'anna', { feedback_source: { type: 'api' } }),
    ],
    { queue_id: 'q', reviewer: 'anna' },
  );
  expect([...own.keys()]).toEqual(['helpful', 'why', 'note']);
  expect(answersOf(own)).toEqual(
    new Map([
      ['helpful', { score: 1 }],
      ['why', { text: 'short' }],
    ]),
  );
});

it('when a review is done, then each answer, the note and the correction are feedback', () => {
  const configs = new Map<string, Config>([['why', { type: 'freeform' }]]);
  const hidden = { join: 'all' as const, rules: [{ key: 'helpful', op: 'is' as const, values: [0] }] };
  const pieces = piecesOf({
    rubric: [
      { feedback_key: 'helpful' },
      { feedback_key: 'why' },
      { feedback_key: 'blame', visible_if: hidden },
      { feedback_key: 'tone' },
    ],
    configs,
    answers: new Map([
      ['helpful', { score: 1 }],
      ['why', { text: 'short' }],
      ['blame', { score: 1 }],
      ['tone', { text: '' }],
    ]),
    note: 'fine',
    correction: { answer: 'yes' },
  });
  expect(pieces).toEqual([
    { key: 'helpful', score: 1, value: 'good' },
    { key: 'why', value: 'short' },
    { key: 'note', comment: 'fine' },
    { key: 'correction', correction: { answer: 'yes' } },
  ]);
});

it('when what was said is emptied or no longer asked, then it is taken back, and nothing else', () => {
  const rubric = [{ feedback_key: 'helpful' }, { feedback_key: 'why' }];
  const said = ['helpful', 'why', 'note', 'correction', 'of an earlier rubric'];
  const pieces = [
    { key: 'helpful', score: 1 },
    { key: 'note', comment: 'fine' },
  ];
  expect(takenBack({ said, rubric, pieces })).toEqual(['why', 'correction']);
});
