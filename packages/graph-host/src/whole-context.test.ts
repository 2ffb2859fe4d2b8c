import { expect, test } from 'vitest';
import { z } from 'zod';
import type { CompiledGraph } from './langgraph-types.ts';
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
