import { expect, test } from 'vitest';
import { z } from 'zod';
import type { CompiledGraph } from '../values/langgraph-types.ts';
import { wholeContext } from './whole-context.ts';

const desk = z.object({ desk: z.string().default('front'), level: z.number().optional() });
const graph = (schema?: z.ZodType, context?: object) =>
  ({
    ...(schema === undefined ? {} : { builder: { _configRuntimeSchema: schema } }),
    ...(context === undefined ? {} : { config: { context } }),
  }) as unknown as CompiledGraph;

test.each<[string, CompiledGraph, unknown, unknown, object]>([
  ['has no schema', graph(), { a: 1 }, { a: 1 }, {}],
  ['is told nothing', graph(desk), undefined, { desk: 'front' }, { desk: 'front' }],
  ['is told all', graph(desk), { desk: 'left', more: 1 }, { desk: 'left', more: 1 }, {}],
  ['is told what its schema refuses', graph(desk), { level: 'x' }, { level: 'x' }, {}],
  [
    'is bound to a context',
    graph(desk, { level: 1 }),
    { desk: 'left' },
    { desk: 'left', level: 1 },
    { level: 1 },
  ],
  ['is bound to one, without a schema', graph(undefined, { level: 1 }), { level: 2 }, { level: 2 }, {}],
  ['is told a text', graph(desk), 'left', 'left', {}],
  [
    'makes of a default what it does not take',
    graph(z.object({ level: z.string().default('3').transform(Number) })),
    {},
    {},
    {},
  ],
  [
    'checks in the background',
    graph(
      z.object({
        desk: z
          .string()
          .default('front')
          .refine(async () => true),
      }),
    ),
    {},
    { desk: 'front' },
    { desk: 'front' },
  ],
])('when a graph %s, then its context is whole', async (_, compiled, given, context, unsaid) => {
  expect(await wholeContext(compiled, given)).toEqual({ context, unsaid });
});

const strict = z.strictObject({ desk: z.string(), level: z.number().default(1) });

test.each<[string, z.ZodType, object, readonly string[], object]>([
  ['takes all', desk, { desk: 'left', user_id: 'u' }, ['user_id'], { desk: 'left', user_id: 'u' }],
  [
    'takes no more than it names',
    strict,
    { desk: 'left', user_id: 'u', team: 't' },
    ['desk', 'user_id', 'team'],
    { desk: 'left', level: 1 },
  ],
  [
    'takes a name, and not its value',
    strict,
    { desk: 'left', level: 'x' },
    ['level'],
    { desk: 'left', level: 1 },
  ],
  [
    'says of the whole only that it refuses it',
    z.custom<object>((value) => Object.keys(value as object).join(',') === 'desk'),
    { desk: 'left', user_id: 'u' },
    ['user_id'],
    { desk: 'left' },
  ],
  [
    'refuses what a context says, too',
    strict,
    { desk: 'left', user_id: 'u', team: 't' },
    ['user_id'],
    { desk: 'left', user_id: 'u', team: 't' },
  ],
  ['misses what nobody says', strict, { user_id: 'u' }, ['user_id'], { user_id: 'u' }],
])(
  'when a schema %s, then what only configurable says is left out where that helps',
  async (_, schema, given, configured, context) => {
    expect((await wholeContext(graph(schema), given, configured)).context).toEqual(context);
  },
);
