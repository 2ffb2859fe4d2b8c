import { Problem } from '@roadstead/kit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseFilter } from './filter-parser.ts';
import { filterText } from './filter-tree.ts';
import { runFields } from './run-fields.ts';

const parse = (text: string) => parseFilter(text, { parameter: 'filter', fields: runFields });

function refusalOf(text: string): string {
  try {
    return `nothing: ${filterText(parse(text))}`;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return `${error.kind}: ${error.sentence}`;
  }
}

describe('reads what clients write', () => {
  test.each([
    [`eq(name, "router")`],
    [`neq(status, 'error')`, `neq(status, "error")`],
    [`gt(latency, "3s")`, `gt(latency, 3)`],
    [`lt(latency, "250ms")`, `lt(latency, 0.25)`],
    [`gte(latency, "1.5m")`, `gte(latency, 90)`],
    [
      `and(gte(start_time, "2026-01-01T00:00:00Z"), lte(start_time, "2026-01-02T03:04:05.123+02:00"))`,
      `and(gte(start_time, "2026-01-01T00:00:00.000000+00:00"), lte(start_time, "2026-01-02T01:04:05.123000+00:00"))`,
    ],
    [`or(has(tags,"blue"),has(tags,"green"))`, `or(has(tags, "blue"), has(tags, "green"))`],
    [`and(in(metadata_key, ["session_id", "thread_id"]), eq(metadata_value, "t-9"))`],
    [`and(eq(feedback_key, "stars"), gt(feedback_score, 3))`],
    [`search("invoice 42")`],
    [`search(name, "route")`],
    [`eq(thread_id, "a\\"b")`],
    [`eq(thread_id, 'it\\'s')`, `eq(thread_id, "it's")`],
    [
      `and(not(has(metadata, '{"x":"y"}')), exists(metadata, "z"))`,
      `and(not(has(metadata, "{\\"x\\":\\"y\\"}")), exists(metadata, "z"))`,
    ],
    [`has("metadata", '{"x":"y"}')`, `has(metadata, "{\\"x\\":\\"y\\"}")`],
    [`and(eq(metadata_key, "ls_run_depth"), eq(metadata_value, 0))`],
    [`like(input_value, "%refund%")`],
    [`notlike(outputs, "%I am sorry%")`],
    [`neq(error, null)`],
    [`eq(is_root, true)`],
    [`eq(is_root, "true")`, `eq(is_root, true)`],
    [`eq(extra.metadata.thread_id,"t")`, `eq(metadata.thread_id, "t")`],
    [
      `and(\n  eq(run_type, "llm"), # model calls\n  gt(total_tokens, 1e3),\n)`,
      `and(eq(run_type, "llm"), gt(total_tokens, 1000))`,
    ],
    [
      `AND(Eq(run_type, "LLM"), exists(metadata, 'a b'))`,
      `and(eq(run_type, "llm"), exists(metadata, "a b"))`,
    ],
    [`in(id, ["0199D3A0-0000-7000-8000-00000000000B"])`, `in(id, ["0199d3a0-0000-7000-8000-00000000000b"])`],
    [`eq(name, "\\u00e9\\n\\d")`, `eq(name, "é\\n\\\\d")`],
    [`gt(start_time, "2026-01-01")`, `gt(start_time, "2026-01-01T00:00:00.000000+00:00")`],
  ])(
    'when a filter reads %s, then the parser answers with its tree or its fault',
    (text, canonical = text) => {
      const written = filterText(parse(text));
      expect(written).toBe(canonical);
      expect(filterText(parse(written))).toBe(written);
    },
  );
});

describe('says where a filter is wrong and what was likely meant', () => {
  test.each([
    ['foo(name, "x")', 'invalid: `filter` is wrong at character 1: there is no comparator `foo`.'],
    [
      'eqq(name, "x")',
      'invalid: `filter` is wrong at character 1: there is no comparator `eqq`. Did you mean `eq`?',
    ],
    [
      'eq(nmae, "x")',
      'invalid: `filter` is wrong at character 4: there is no field `nmae`. Did you mean `name`?',
    ],
    [
      'eq(metadta_key, "x")',
      'invalid: `filter` is wrong at character 4: there is no field `metadta_key`. Did you mean `metadata_key`?',
    ],
    ['eq(name "x")', 'invalid: `filter` is wrong at character 9: `,` is expected after `name`.'],
    [
      'eq(name, "x"',
      'invalid: `filter` is wrong at character 13: `)` is expected after the arguments of `eq`.',
    ],
    [
      'eq(name, "x")) ',
      'invalid: `filter` is wrong at character 14: the expression has ended before. Join several by and(…) or or(…).',
    ],
    ['eq(name, "x', 'invalid: `filter` is wrong at character 10: the text that begins here has no end.'],
    [
      'and(eq(name, "x"),\n    eq(nam, "y"))',
      'invalid: `filter` is wrong at line 2, character 8: there is no field `nam`. Did you mean `name`?',
    ],
    [
      'gt(latency, "3 parsecs")',
      'invalid: `filter` is wrong at character 13: the unit is not one of a duration. A number of seconds, or a text with a unit: "250ms", "3s", "2m", "1h", "1d".',
    ],
    [
      `gt(latency, "${'1'.repeat(200)}")`,
      'invalid: `filter` is wrong at character 13: a duration is expected. A number of seconds, or a text with a unit: "250ms", "3s", "2m", "1h", "1d".',
    ],
    [
      'eq(status, "eror")',
      'invalid: `filter` is wrong at character 12: the value is not one of success, error, pending. Did you mean "error"?',
    ],
    [
      'has(name, "x")',
      "invalid: `filter` is wrong at character 5: `name` can't be compared by `has`. It is compared by eq, neq, gt, gte, lt, lte, in, like, notlike.",
    ],
    ['eq(id, "x")', 'invalid: `filter` is wrong at character 8: a UUID is expected.'],
    ['gt(total_tokens, "many")', 'invalid: `filter` is wrong at character 18: a number is expected.'],
    [
      'gt(start_time, "yesterday")',
      'invalid: `filter` is wrong at character 16: an instant is expected. Such as "2026-01-31T12:00:00Z".',
    ],
    [
      'eq(name, router)',
      'invalid: `filter` is wrong at character 10: a value is expected. Texts stand in quotes.',
    ],
    [
      'eq(name, ["a"])',
      'invalid: `filter` is wrong at character 10: one value is expected, not a list. Lists are compared by in(…).',
    ],
    ['in(name, [])', 'invalid: `filter` is wrong at character 10: the list is empty.'],
    [
      'has(metadata, "{x}")',
      'invalid: `filter` is wrong at character 15: the text is no JSON. Such as \'{"tenant": "acme"}\'.',
    ],
    [
      'gt(start_time, null)',
      'invalid: `filter` is wrong at character 16: null is compared by eq and neq only.',
    ],
    [
      'search(latency, "x")',
      'invalid: `filter` is wrong at character 8: `latency` has no full text. Fields with full text are name, error, tags, tag, metadata, extra.metadata, inputs, outputs; search("…") looks into all of them.',
    ],
    [
      'like(name, "a\\\\")',
      'invalid: `filter` is wrong at character 12: the pattern ends with a backslash. Double it to mean the character.',
    ],
    ['', 'invalid: `filter` is wrong at character 1: an expression such as eq(name, "router") is expected.'],
    ['name = "x"', 'invalid: `filter` is wrong at character 6: a name, a value or a bracket is expected.'],
    ['eq(toString, "x")', 'invalid: `filter` is wrong at character 4: there is no field `toString`.'],
    [
      `${'not('.repeat(32)}eq(name,"x")${')'.repeat(32)}`,
      'invalid: `filter` is wrong at character 129: expressions are nested deeper than 32 levels.',
    ],
    [`eq(name,"${'é'.repeat(5200)}")`, 'invalid: `filter` is longer than 10240 bytes.'],
  ])('when a filter reads %s, then the parser answers with its tree or its fault', (text, refusal) => {
    expect(refusalOf(text)).toBe(refusal);
  });

  test('when 31 levels stand around a comparison, then it is read', () => {
    expect(refusalOf(`${'not('.repeat(31)}eq(name,"x")${')'.repeat(31)}`)).toMatch(/^nothing/);
  });

  test('when any text is sent, then it is a tree that reads as it is written, or refused', () => {
    const written = `and( or( not( eq( in( search( has( ) [ ] , " ' \\ # name metadata metadata.a tags "x" 1 -2.5e1 null true é`;
    const part = fc.constantFrom(...written.split(' '), '\n', '\ud800', ' ');
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 14 }).map((parts) => parts.join('')),
        (text) => {
          const first = refusalOf(text);
          expect(first).toMatch(/^(nothing|invalid): /);
          const again = first.slice('nothing: '.length);
          expect(first.startsWith('nothing') ? refusalOf(again) : first).toBe(first);
        },
      ),
      { numRuns: 5000 },
    );
  });
});
