import { expect, test } from 'vitest';
import {
  fieldsOfArgs,
  type FormField,
  openQuestions,
  questionOf,
  resumeOf,
  valuesOf,
} from './question-rules.ts';
import { reviewAnswer, reviewOf } from './review-rules.ts';

const cases = [
  ['Go on?', { kind: 'text', asks: 'Go on?' }],
  [
    { question: 'Which?', options: ['a', 'b'] },
    {
      kind: 'choice',
      asks: 'Which?',
      options: [
        { label: 'a', value: 'a' },
        { label: 'b', value: 'b' },
      ],
    },
  ],
  [
    { message: 'Sure?', schema: { type: 'boolean' } },
    {
      kind: 'choice',
      asks: 'Sure?',
      options: [
        { label: 'Yes', value: true },
        { label: 'No', value: false },
      ],
    },
  ],
  [
    { question: 'How many?', schema: { type: 'integer' } },
    { kind: 'form', asks: 'How many?', single: true },
  ],
  [
    { message: 'Fill in', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } },
    { kind: 'form', single: false },
  ],
  [
    { question: 'Ship it?', order: 7 },
    { kind: 'text', asks: 'Ship it?', about: { order: 7 } },
  ],
  [
    [{ action_request: { action: 'send', args: {} }, config: { allow_accept: true } }],
    { kind: 'review', shape: 'inbox' },
  ],
  [{ action_requests: [{ name: 'send', args: {} }] }, { kind: 'review', shape: 'middleware' }],
  [
    { actionRequests: [{ name: 'send', args: {} }], reviewConfigs: [] },
    { kind: 'review', shape: 'middleware_js' },
  ],
  [null, { kind: 'text' }],
] as const;

test.for(cases)('when a graph asks %j, then the question is known by its shape', ([value, question]) => {
  expect(questionOf(value)).toMatchObject(question);
});

test('when fields are entered, then the answer has their types, and faults name the field', () => {
  const question = questionOf({
    schema: {
      type: 'object',
      required: ['count', 'kind'],
      properties: {
        count: { type: 'integer' },
        sure: { type: 'boolean' },
        kind: { enum: ['x', 'y'] },
        more: { type: 'array' },
        note: { type: 'string' },
      },
    },
  });
  const fields = question.kind === 'form' ? question.fields : [];
  expect(valuesOf(fields, { count: '3', sure: 'true', kind: '"y"', more: '[1]' })).toEqual({
    value: { count: 3, sure: true, kind: 'y', more: [1] },
  });
  expect(valuesOf(fields, { count: 'three', more: '[' })).toEqual({
    faults: {
      count: 'Enter a number.',
      kind: 'Enter kind.',
      more: 'Enter JSON, such as "text", 1 or {"a": 1}.',
    },
  });
});

interface FieldOutcome extends Partial<FormField> {
  readonly entered?: string;
  readonly value: unknown;
}

const fieldCases: readonly (readonly [schema: object, outcome: FieldOutcome])[] = [
  [
    { type: 'integer', enum: [1, 2, 3] },
    { kind: 'choice', entered: '2', value: 2 },
  ],
  [{ enum: ['1', 1, true] }, { kind: 'choice', entered: '"1"', value: '1' }],
  [
    { enum: ['a', 'b'], default: 'b' },
    { kind: 'choice', value: 'b' },
  ],
  [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, { kind: 'text', entered: 'yes', value: 'yes' }],
  [
    { anyOf: [{ type: 'string' }, { type: 'null' }], default: null },
    { kind: 'text', value: null },
  ],
  [{ oneOf: [{ type: 'null' }, { type: 'integer' }] }, { kind: 'number', entered: '7', value: 7 }],
  [
    { type: ['string', 'null'], default: 'so' },
    { kind: 'text', value: 'so' },
  ],
  [
    { type: ['string', 'null'], default: 'so' },
    { kind: 'text', entered: '', value: null },
  ],
  [{ type: ['boolean', 'null'] }, { kind: 'choice', entered: 'false', value: false }],
  [{ type: ['boolean', 'null'] }, { kind: 'choice', value: null }],
  [
    { anyOf: [{ enum: ['x', null] }, { type: 'null' }], title: 'Which' },
    { kind: 'choice', label: 'Which', entered: '"x"', value: 'x' },
  ],
  [{ type: ['string', 'integer'] }, { kind: 'json', entered: '3', value: 3 }],
  [
    { anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'null' }] },
    { kind: 'json', entered: '', value: null },
  ],
];

test.for(fieldCases)(
  'when a field has the schema %j, then it answers %j',
  ([schema, { entered, value, ...field }]) => {
    const question = questionOf({ schema: { properties: { one: schema }, required: ['one'] } });
    const fields = question.kind === 'form' ? question.fields : [];
    expect(fields).toMatchObject([field]);
    expect(valuesOf(fields, entered === undefined ? {} : { one: entered })).toEqual({
      value: { one: value },
    });
  },
);

test('when arguments are edited, then each keeps its type', () => {
  const fields = fieldsOfArgs({ to: 'x', amount: 2, tags: ['a'] });
  expect(valuesOf(fields, { to: '', tags: '["b"]' })).toEqual({ value: { to: '', amount: 2, tags: ['b'] } });
});

test('when a review is answered, then each library reads its own shape', () => {
  const asked = { action: 'send', args: { to: 'x' } };
  const inbox = reviewOf([{ action_request: asked }]);
  const middleware = reviewOf([{ action_requests: [{ name: 'send', args: { to: 'x' } }] }]);
  const javascript = reviewOf([{ actionRequests: [{ name: 'send', args: { to: 'x' } }] }]);
  const edit = [{ decision: 'edit', args: { to: 'y' } }] as const;
  expect([inbox, middleware, javascript].map((review) => review && reviewAnswer(review, edit))).toEqual([
    [{ type: 'edit', args: { action: 'send', args: { to: 'y' } } }],
    { decisions: [{ type: 'edit', edited_action: { name: 'send', args: { to: 'y' } } }] },
    { decisions: [{ type: 'edit', editedAction: { name: 'send', args: { to: 'y' } } }] },
  ]);
  expect(inbox && reviewAnswer(inbox, [{ decision: 'approve' }])).toEqual([{ type: 'accept', args: asked }]);
  expect(inbox && reviewAnswer(inbox, [{ decision: 'respond', note: 'No.' }])).toEqual([
    { type: 'response', args: 'No.' },
  ]);
  expect(inbox && reviewAnswer(inbox, [{ decision: 'reject' }])).toEqual([{ type: 'ignore', args: null }]);
  expect(middleware && reviewAnswer(middleware, [{ decision: 'reject', note: 'No.' }])).toEqual({
    decisions: [{ type: 'reject', message: 'No.' }],
  });
});

test('when only some answers are allowed, then only those are offered', () => {
  const review = reviewOf([
    {
      action_requests: [{ name: 'send', args: {} }],
      review_configs: [{ action_name: 'send', allowed_decisions: ['approve', 'reject'] }],
    },
  ]);
  expect(review?.actions[0]?.allowed).toEqual(['approve', 'reject']);
});

test('when several questions are open, then an answer names the one that it answers', () => {
  const open = openQuestions({ task: [{ id: 'a', value: 'A?' }], other: [{ id: 'b', value: 'B?' }] });
  expect(open.map((question) => resumeOf(question, { open, answer: 'yes' }))).toEqual([
    { a: 'yes' },
    { b: 'yes' },
  ]);
  expect(
    open.slice(0, 1).map((question) => resumeOf(question, { open: open.slice(0, 1), answer: 'yes' })),
  ).toEqual(['yes']);
});
