import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { readHead } from './head-check.ts';
import { shapes } from './frame-shapes.ts';
import { Head, engineCalls, hostCalls, hostTells } from './protocol.ts';
import { type Check, type Shape, ShapeCompiler } from './shape-check.ts';

/** The checks of frames, held to the schemas that they are made of. */

const compiler = new ShapeCompiler(shapes.$defs);
const partsOf = (
  calls: Readonly<Record<string, { readonly params: z.ZodType; readonly result?: z.ZodType }>>,
) => Object.entries(calls);

interface Pair {
  readonly name: string;
  readonly schema: z.ZodType;
  readonly check: Check;
}

const pairOf = (table: Exclude<keyof typeof shapes, '$defs'>, name: string, schema: z.ZodType): Pair => {
  const shape = shapes[table][name];
  if (shape === undefined) throw new Error(`There is no shape of ${name}.`);
  return { name: `${table} ${name}`, schema, check: compiler.compile(shape) ?? (() => undefined) };
};
const pairs: readonly Pair[] = [
  ...partsOf(engineCalls).map(([name, { params }]) => pairOf('engine_questions', name, params)),
  ...partsOf(hostCalls).map(([name, { params }]) => pairOf('host_questions', name, params)),
  ...partsOf(hostTells).map(([name, { params }]) => pairOf('host_messages', name, params)),
  ...Object.entries(engineCalls).map(([name, { result }]) => pairOf('host_answers', name, result)),
  ...Object.entries(hostCalls).map(([name, { result }]) => pairOf('engine_answers', name, result)),
];

/** Enough blobs for every index: how many there are is for the frame to say, not for a schema. */
const BLOBS = Number.MAX_SAFE_INTEGER;

const anything = fc.jsonValue({ maxDepth: 1 });

const isComplete = (value: object, { dependentRequired = {} }: Shape) =>
  Object.entries(dependentRequired).every(
    ([name, others]) => !(name in value) || others.every((other) => other in value),
  );

const MAX_WITHIN = 2;

/** Values that a shape admits. `above` names the definitions that it is part of: one that is part of itself comes to an end. */
function valuesOf(shape: Shape, above: readonly string[] = []): fc.Arbitrary<unknown> {
  const { $ref, anyOf, oneOf = anyOf, properties, required = [], prefixItems } = shape;
  const within = (one: Shape) => valuesOf(one, above);
  if ($ref !== undefined) return valuesOf(shapes.$defs[$ref.replace('#/$defs/', '')] ?? {}, [...above, $ref]);
  if (oneOf !== undefined) {
    const ends = (one: Shape) => above.filter((ref) => ref === one.$ref).length < MAX_WITHIN;
    return fc.oneof(...oneOf.filter(ends).map(within));
  }
  if (shape.const !== undefined) return fc.constant(shape.const);
  if (shape.enum !== undefined) return fc.constantFrom(...shape.enum);
  if (prefixItems !== undefined) return fc.tuple(...prefixItems.map(within));
  switch (shape.type) {
    case 'object': {
      const named = Object.entries(properties ?? {}).map(([name, one]) => [name, within(one)] as const);
      const whole = fc
        .record(Object.fromEntries(named), { requiredKeys: [...required] })
        .filter((one) => isComplete(one, shape));
      if (shape.additionalProperties === undefined) return whole;
      const others = fc.dictionary(fc.stringMatching(/^[x-z]{1,3}$/), within(shape.additionalProperties));
      return fc.tuple(others, whole).map(([more, one]) => ({ ...more, ...one }));
    }
    case 'array':
      return fc.array(within(shape.items ?? {}), { maxLength: 3 });
    case 'string':
      return fc.string({ maxLength: 5 });
    case 'integer':
      return fc.integer({ min: shape.minimum ?? -5, max: 1000 });
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case undefined:
      return anything;
    default:
      throw new Error('The schema has a type that is unknown here.');
  }
}

/** A value with something else, or with nothing, at one of its places. */
function spoiled(value: unknown, pick: (places: number) => number, other: unknown): unknown {
  const places: ((() => unknown) | undefined)[] = [];
  const visit = (one: unknown, put: (other: unknown) => unknown): void => {
    places.push(() => put(other));
    if (typeof one !== 'object' || one === null) return;
    for (const [key, member] of Object.entries(one)) {
      const within = (changed: unknown) =>
        put(
          Array.isArray(one)
            ? one.map((item: unknown, at) => (String(at) === key ? changed : item))
            : { ...one, [key]: changed },
        );
      const { [key]: _gone, ...without } = one as Readonly<Record<string, unknown>>;
      if (!Array.isArray(one)) places.push(() => put(without));
      visit(member, within);
    }
  };
  visit(value, (changed) => changed);
  return places[pick(places.length)]?.();
}

const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value) ?? 'null');
/** What a check and its schema make of a value, each beside the value, so that a failure shows it. */
const verdicts = ({ schema, check }: Pick<Pair, 'schema' | 'check'>, value: unknown) => ({
  checked: [value, check(value, BLOBS) === undefined],
  parsed: [value, schema.safeParse(value).success],
});

test.each(['{"checkpoint_map":{"__proto__":1}}', '{"checkpoint_map":{"constructor":1}}'])(
  'when a record has the members %s, then check and schema agree',
  (text) => {
    const checkpoint: unknown = JSON.parse(text);
    const pair = pairOf('engine_questions', 'state.get', engineCalls['state.get'].params);
    const { checked, parsed } = verdicts(pair, { thread_id: 't', graph_id: 'g', checkpoint });
    expect(checked).toEqual(parsed);
  },
);

test.each(['1e999', 'null', '1e300'])('when a number is %s, then check and schema agree', (number) => {
  const load: unknown = JSON.parse(`{"late_ms":${number},"busy":1,"heap":1,"resident_bytes":1}`);
  const { checked, parsed } = verdicts(pairOf('host_messages', 'load', hostTells.load.params), load);
  expect(checked).toEqual(parsed);
});

test('when the methods are counted, then each has a check', () => {
  expect(pairs).toHaveLength(50);
});

test.each(pairs)(
  'when $name gets what its schema admits, then its check admits it',
  ({ name, schema, check }) => {
    const [table = '', method = ''] = name.split(' ');
    const shape = shapes[table as 'host_questions'][method] ?? {};
    fc.assert(
      fc.property(valuesOf(shape).map(json), (value) => {
        expect([value, check(value, BLOBS)]).toEqual([value, undefined]);
        expect(schema.safeParse(value).success).toBe(true);
      }),
      { numRuns: 60 },
    );
  },
);

test.each(pairs)(
  'when $name gets what is spoiled, then check and schema agree',
  ({ name, schema, check }) => {
    const [table = '', method = ''] = name.split(' ');
    const shape = shapes[table as 'host_questions'][method] ?? {};
    const place = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(valuesOf(shape).map(json), place, anything, (value, at, other) => {
        const wrong = json(spoiled(value, (places) => Math.floor(at * places), other));
        const { checked, parsed } = verdicts({ schema, check }, wrong);
        expect(checked).toEqual(parsed);
      }),
      { numRuns: 120 },
    );
  },
);

test('when heads are spoiled, then the check by hand and the schema agree', () => {
  const error = { name: 'E', message: 'm', stack: 's', hint: 'h', rejected: true };
  const heads = fc.constantFrom<object>(
    { id: 1, method: 'm', params: {}, blobs: [1, 2] },
    { method: 'm', params: {} },
    { re: 1, result: 1, blobs: [] },
    { re: 1, error },
  );
  const isRead = (head: unknown) => {
    try {
      return readHead(head) === head;
    } catch {
      return false;
    }
  };
  const place = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(heads, place, anything, (head, at, other) => {
      const value = json(spoiled(head, (places) => Math.floor(at * places), other));
      expect([value, isRead(value)]).toEqual([value, Head.safeParse(value).success]);
    }),
    { numRuns: 3000 },
  );
});
