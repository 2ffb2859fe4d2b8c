import { expect, test } from 'vitest';
import { z } from 'zod';
import { issuesOf } from './issue-rules.ts';

const Value = z.union([z.number(), z.boolean(), z.string().max(3), z.record(z.string(), z.unknown())]);
const Named = z.union([z.object({ name: z.string() }), z.array(z.string())]);

test.each<[string, z.ZodType, unknown, object[]]>([
  ['a list', Value, [1, 2], [{ loc: ['body'], msg: 'must be a number, a boolean, a text or an object' }]],
  ['null', Value, null, [{ msg: 'must be a number, a boolean, a text or an object' }]],
  [
    'a text that is too long',
    Value,
    'four',
    [{ loc: ['body'], msg: expect.stringContaining('3') as string }],
  ],
  ['an object with a wrong member', Named, { name: 5 }, [{ loc: ['body', 'name'], type: 'invalid_type' }]],
  ['a list with a wrong item', Named, [5], [{ loc: ['body', 0], type: 'invalid_type' }]],
  ['a word', z.union([z.literal('all'), z.number()]), 'none', [{ msg: 'must be "all" or a number' }]],
  [
    'a union of unions',
    z.union([Value, z.null()]),
    [1],
    [{ msg: 'must be a number, a boolean, a text, an object or null' }],
  ],
  ['a union with words of its own', z.union([z.number(), z.boolean()], 'is odd'), 'a', [{ msg: 'is odd' }]],
])('when %s comes where several kinds may, then the answer says which', (_, schema, value, issues) => {
  expect(issuesOf(schema.safeParse(value).error as z.ZodError, ['body'])).toMatchObject(issues);
});

const Texts = z.union([z.number(), z.array(z.string())]);
const wrong = (count: number) => Array.from({ length: count }, () => 5);

test.each<[string, z.ZodType, unknown]>([
  ['of a list', z.array(z.string()), wrong(99_000)],
  ['inside a union', Texts, wrong(99_000)],
  ['inside a union in a union', z.union([z.boolean(), z.object({ of: Texts })]), { of: wrong(99_000) }],
  ['inside many unions', z.array(Texts), Array.from({ length: 300 }, () => wrong(300))],
  [
    'of members of an object',
    z.union([z.number(), z.record(z.string(), z.string())]),
    Object.fromEntries(wrong(5000).entries()),
  ],
])('when very many values %s are wrong, then a hundred are named', (_, schema, value) => {
  const issues = issuesOf(schema.safeParse(value).error as z.ZodError, ['body']);
  expect(issues).toHaveLength(100);
  expect(JSON.stringify(issues).length).toBeLessThan(20_000);
});
