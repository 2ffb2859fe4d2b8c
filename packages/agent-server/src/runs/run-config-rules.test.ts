import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mergeConfigs, mergeSettings, setsBoth, type Settings } from './run-config-rules.ts';

test('when configurations are merged, then the request wins, then the thread, one level deep', () => {
  const assistant = {
    tags: ['a'],
    recursion_limit: 10,
    configurable: { model: 'small', voice: { tone: 'dry' } },
    metadata: { owner: 'a' },
  };
  const thread = { configurable: { voice: { pace: 'slow' } }, recursion_limit: null };
  const request = { tags: ['r'], configurable: { model: 'large' }, metadata: { owner: 'r', more: 1 } };
  expect(mergeConfigs(assistant, thread, request)).toEqual({
    tags: ['r'],
    recursion_limit: 10,
    configurable: { model: 'large', voice: { pace: 'slow' } },
    metadata: { owner: 'r', more: 1 },
  });
});

test('when a field is null or absent, then it changes nothing', () => {
  const config = fc.record({
    tags: fc.option(fc.array(fc.string())),
    recursion_limit: fc.option(fc.integer({ min: 1, max: 100 })),
    configurable: fc.option(fc.dictionary(fc.string(), fc.jsonValue())),
    metadata: fc.option(fc.dictionary(fc.string(), fc.jsonValue())),
  });
  fc.assert(
    fc.property(config, (given) => {
      const merged = mergeConfigs(given);
      const nothing = { tags: null, recursion_limit: null, configurable: null, metadata: null };
      expect(mergeConfigs(nothing, given, undefined, null, nothing)).toEqual(merged);
    }),
  );
});

const configurable = (values: object): Settings => ({ config: { configurable: { ...values } } });
const both = (values: object) => ({ configurable: values, context: values });

test.each<[string, readonly Settings[], object]>([
  ['nobody says anything', [{}, { context: {} }, { config: null, context: null }], {}],
  ['a run configures', [configurable({ desk: 'left' })], both({ desk: 'left' })],
  ['a run has a context', [{ context: { desk: 'left' } }], both({ desk: 'left' })],
  [
    'an assistant has a context, and a run configures',
    [{ context: { desk: 'front', level: 1 } }, configurable({ desk: 'left' })],
    both({ desk: 'left', level: 1 }),
  ],
  [
    'an assistant configures, and a run has a context',
    [configurable({ desk: 'front', level: 1 }), { context: { desk: 'left' } }],
    both({ desk: 'left', level: 1 }),
  ],
  [
    'a thread configures between them',
    [
      { context: { desk: 'front', level: 1, at: 'a' } },
      configurable({ desk: 'back', level: 2 }),
      { context: { desk: 'left' } },
    ],
    both({ desk: 'left', level: 2, at: 'a' }),
  ],
  [
    'a run’s context is a text',
    [{ context: { desk: 'front' } }, { context: 'left' }],
    { configurable: { desk: 'front' }, context: 'left' },
  ],
  [
    'an assistant’s context is a list',
    [{ context: [1] }, configurable({ desk: 'left' })],
    { configurable: { desk: 'left' }, context: [1] },
  ],
  ['a run replaces a list', [{ context: [1] }, { context: { desk: 'left' } }], both({ desk: 'left' })],
  [
    'somebody says what only the server may',
    [
      { context: { thread_id: 'of the graph', __own: 1 } },
      configurable({ thread_id: 'forged', langgraph_auth_user: 'x', a: 1 }),
    ],
    { configurable: { a: 1 }, context: { thread_id: 'of the graph', __own: 1, a: 1 } },
  ],
])('when %s, then it reaches configurable and context', (_, all, expected) => {
  const { config, context } = mergeSettings(...all);
  expect({ ...config, ...(context === undefined ? {} : { context }) }).toEqual(expected);
});

const of_both = (values: object): Settings => ({ ...configurable(values), context: { ...values } });

test.each<[string, readonly Settings[], readonly string[]]>([
  ['nobody configures', [{ context: { desk: 'left' } }], []],
  [
    'a run configures',
    [{ context: { desk: 'front' } }, configurable({ desk: 'left', user_id: 'u' })],
    ['user_id'],
  ],
  [
    'a thread and a run configure',
    [{}, configurable({ user_id: 'u' }), configurable({ team: 't' })],
    ['user_id', 'team'],
  ],
  // Assistants hold in both what they were given in either.
  ['an assistant has both', [of_both({ desk: 'left', user_id: 'u' })], ['desk', 'user_id']],
  [
    'a run’s context names what an assistant has',
    [of_both({ desk: 'left' }), { context: { desk: 'back' } }],
    [],
  ],
  ['the context is a text', [configurable({ desk: 'left' }), { context: 'left' }], []],
])('when %s, then what only configurable says is known', (_, all, configured) => {
  expect(mergeSettings(...all).configured).toEqual(configured);
});

test.each([
  [{ a: 1 }, { b: 1 }, true],
  [{}, { b: 1 }, false],
  [{ a: 1 }, {}, false],
  [null, { b: 1 }, false],
  [{ a: 1 }, undefined, false],
])(
  'when configurable is %j and context %j, then they exclude each other: %j',
  (configurable, context, excluded) => {
    expect(setsBoth(configurable, context)).toBe(excluded);
  },
);
