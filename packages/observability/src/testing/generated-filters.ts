import fc from 'fast-check';

/** Runs, and filters that some of them pass. */

const words = ['refund', 'please', 'invoice 42', 'I am sorry', 'a_b%c', 'Zürich', '東京', 'in voice', ''];
const keys = ['tenant', 'region', 'a.b', 'n'];
const numbers = [0, 1, 42, 2.5];
const scalar = fc.oneof(
  fc.constantFrom(...words),
  fc.constantFrom(...numbers),
  fc.boolean(),
  fc.constant(null),
);
const member = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 3 }),
  fc.dictionary(fc.constantFrom('b', 'c'), scalar, { maxKeys: 2 }),
);
const object = fc.dictionary(fc.constantFrom('tenant', 'region', 'a', 'n'), member, { maxKeys: 4 });
const tag = fc.constantFrom('blue', 'green', '2aa1cf4', 'a%b');
export const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined });

export const sentRun = fc.record({
  name: fc.constantFrom('router', 'Chat Model', 'a_b', ''),
  run_type: fc.constantFrom('llm', 'chain', 'tool'),
  at_ms: fc.nat(100_000),
  latency_ms: maybe(fc.constantFrom(0, 1, 250, 3000, 3001, 90_000)),
  error: maybe(fc.constantFrom('ValueError: refund', 'timeout')),
  tags: maybe(fc.array(tag, { maxLength: 3 })),
  metadata: maybe(object),
  inputs: maybe(object),
  outputs: maybe(object),
  thread_id: maybe(fc.constantFrom('t-1', 'a"b')),
  models: fc.record(
    { ls_model_name: fc.constantFrom('small', 'large'), model: fc.constantFrom('small', 'a"b') },
    { requiredKeys: [] },
  ),
  tokens: fc.constantFrom(0, 5, 10),
  feedback: fc.array(
    fc.record({
      key: fc.constantFrom('stars', 'correct'),
      score: fc.constantFrom(null, 0, 0.5, 4),
      value: fc.constantFrom(null, 'good', 'bad'),
      source: fc.constantFrom('app', 'model'),
      comment: fc.constantFrom(null, 'so so'),
    }),
    { maxLength: 2 },
  ),
});

const text = (value: unknown) => JSON.stringify(value);
const comparator = fc.constantFrom('eq', 'neq', 'gt', 'gte', 'lt', 'lte');
const equality = fc.constantFrom('eq', 'neq');
const pattern = fc.constantFrom(
  '%refund%',
  'r%',
  '%b\\%c',
  '_outer',
  'invoice 42',
  '%am sorry%',
  '%',
  '%Model',
  'I am%',
);
const comparing = (
  field: string,
  by: fc.Arbitrary<string>,
  value: fc.Arbitrary<unknown>,
): fc.Arbitrary<string> => fc.tuple(by, value).map(([one, other]) => `${one}(${field}, ${text(other)})`);
const someOf = (field: string, value: fc.Arbitrary<unknown>): fc.Arbitrary<string> =>
  fc.array(value, { minLength: 1, maxLength: 3 }).map((list) => `in(${field}, ${text(list)})`);
const like = fc.constantFrom('like', 'notlike');
const value = fc.oneof(fc.constantFrom(...words), fc.constantFrom(...numbers, true));

const families = ['metadata', 'input', 'output'].flatMap((family) => [
  comparing(`${family}_key`, equality, fc.constantFrom(...keys)),
  someOf(`${family}_key`, fc.constantFrom(...keys)),
  comparing(`${family}_key`, like, fc.constantFrom('ten%', '%.b', 'n')),
  comparing(`${family}_value`, equality, fc.oneof(value, fc.constant(null))),
  comparing(`${family}_value`, fc.constantFrom('gt', 'lte'), value),
  comparing(`${family}_value`, like, pattern),
  someOf(`${family}_value`, value),
]);
const side = fc.oneof(
  ...families,
  comparing('feedback_key', equality, fc.constantFrom('stars', 'correct')),
  comparing('feedback_score', comparator, fc.constantFrom(0, 0.5, 3)),
  comparing('feedback_score', equality, fc.constant(null)),
  comparing('feedback_value', equality, fc.constantFrom('good', 'bad', null)),
  comparing('feedback_source', equality, fc.constantFrom('app', 'model')),
  comparing('feedback_comment', like, fc.constant('so%')),
);
const single = fc.oneof(
  comparing(
    'name',
    fc.oneof(comparator, like),
    fc.constantFrom('router', 'Chat Model', 'a_b', 'r%', '%Model', ''),
  ),
  someOf('name', fc.constantFrom('router', 'Chat Model', 'none')),
  comparing('run_type', equality, fc.constantFrom('llm', 'tool')),
  comparing('model', fc.oneof(comparator, like), fc.constantFrom('small', 'large', 'a"b', '%l%')),
  comparing('model', equality, fc.constant(null)),
  someOf('model', fc.constantFrom('small', 'a"b', 'none')),
  comparing('status', equality, fc.constantFrom('success', 'error', 'pending')),
  comparing('error', equality, fc.constant(null)),
  comparing('error', like, pattern),
  comparing('thread_id', equality, fc.constantFrom('t-1', 'a"b', null)),
  comparing('is_root', equality, fc.boolean()),
  comparing('latency', comparator, fc.constantFrom('3s', 0.25, '90s', '1ms', 0)),
  comparing('latency', equality, fc.constant(null)),
  comparing('start_time', comparator, fc.constantFrom('2026-01-05T00:00:50Z', '2026-01-05')),
  comparing('end_time', equality, fc.constant(null)),
  comparing('total_tokens', comparator, fc.constantFrom(0, 1, 6, 11)),
  comparing('total_cost', comparator, fc.constantFrom(0.25, 0.5)),
  comparing('execution_order', comparator, fc.constantFrom(1, 2)),
  comparing('parent_run_id', equality, fc.constant(null)),
  comparing('tags', fc.constantFrom('has', 'neq'), tag),
  comparing('tags', like, fc.constantFrom('%e', '2aa%', 'a\\%b')),
  someOf('tags', tag),
  comparing('metadata', fc.constant('exists'), fc.constantFrom(...keys, 'a', 'ls_run_depth')),
  comparing(
    'metadata',
    fc.constant('has'),
    fc.constantFrom('{"n": 42}', '{"a": {"b": "refund"}}', '{"a": {}}'),
  ),
  comparing('metadata.tenant', comparator, fc.constantFrom('refund', 42)),
  comparing('metadata.tenant', like, pattern),
  comparing('inputs', like, pattern),
  comparing('outputs', like, pattern),
  fc
    .constantFrom('refund', 'inv', '42', 'zür', '東', 'sorry am', 'b c', 'true')
    .map((words_) => `search(${text(words_)})`),
  fc
    .tuple(
      fc.constantFrom('name', 'inputs', 'outputs', 'metadata', 'tags', 'error'),
      fc.constantFrom('refund', 'ro', 'bl', 'value'),
    )
    .map(([field, one]) => `search(${field}, ${text(one)})`),
);
export const { filter: anyFilter } = fc.letrec<{ filter: string }>((again) => ({
  filter: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.oneof(side, single),
    fc
      .array(fc.oneof(side, side, again('filter')), { minLength: 1, maxLength: 4 })
      .map((of) => `and(${of.join(', ')})`),
    fc.array(again('filter'), { minLength: 1, maxLength: 3 }).map((of) => `or(${of.join(', ')})`),
    again('filter').map((of) => `not(${of})`),
  ),
}));
