import { describe, expect, it } from 'vitest';
import { csvRows, headOf, kindOf, partOf, recordEnds } from './import-rules.ts';

describe('csv', () => {
  it.each([
    [
      'a,b\n1,2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a,b\r\n"x, y","say ""hi"""\r\n',
      [
        ['a', 'b'],
        ['x, y', 'say "hi"'],
      ],
    ],
    ['a\n"two\nlines"', [['a'], ['two\nlines']]],
    [
      'a,b\n,\n',
      [
        ['a', 'b'],
        ['', ''],
      ],
    ],
    ['', []],
  ])('when it reads %j, then quotes and empty cells are kept', (text, rows) => {
    expect(csvRows(text, { is_whole: true })).toEqual(rows);
  });

  it('when the text is only the beginning, then a row that is not ended is left out', () => {
    expect(csvRows('a,b\n1,2\n3,', { is_whole: false })).toEqual([
      ['a', 'b'],
      ['1', '2'],
    ]);
  });
});

describe('the head of a file', () => {
  it('when lines name inputs themselves, then columns need no part', () => {
    const text = '{"inputs":{"q":1},"outputs":{"a":2}}\n{"inputs":{"q":3}}\n';
    expect(headOf(text, { kind: 'jsonl', is_whole: true })).toMatchObject({
      columns: ['inputs', 'outputs'],
      is_ready: true,
    });
  });

  it.each([
    ['csv', '', /empty/],
    ['csv', 'a,b\n', /no rows/],
    ['jsonl', '\n', /empty/],
    ['jsonl', '{"a":1}\n{b', /Line 2 is not JSON/],
    ['jsonl', '[1]', /Line 1 is not a JSON object/],
  ] as const)('when a %s holds %j, then the fault says what is wrong', (kind, text, fault) => {
    expect(() => headOf(text, { kind, is_whole: true })).toThrow(fault);
  });
});

it.each([
  ['question', 'inputs'],
  ['Answer', 'outputs'],
  ['expected_output', 'outputs'],
  ['topic', 'metadata'],
])('when a column is named %s, then it is taken for %s', (column, part) => {
  expect(partOf(column)).toBe(part);
});

it.each([
  ['a.CSV', 'csv'],
  ['a.jsonl', 'jsonl'],
  ['a.ndjson', 'jsonl'],
  ['a.txt', undefined],
])('when a file is named %s, then its kind is %s', (name, kind) => {
  expect(kindOf(name)).toBe(kind);
});

it.each([
  ['csv', 'a\n"b\nc"\nd', { first: 2, last: 8, is_quoted: false }],
  ['csv', '"open\n', { first: -1, last: -1, is_quoted: true }],
  ['jsonl', '{"a"\n', { first: 5, last: 5, is_quoted: false }],
] as const)('when a %s is cut, then only between records', (kind, text, ends) => {
  expect(recordEnds(new TextEncoder().encode(text), { kind, is_quoted: false })).toEqual(ends);
});
