import { expect, test } from 'vitest';
import { textsAt } from './text-path-rules.ts';

const value = {
  title: 'Tides',
  pages: 12,
  open: true,
  authors: [{ name: 'Ann' }, { name: 'Bo', note: null }],
  chapters: [{ text: 'one', marks: ['x', 'y'] }, { text: 'two' }],
  meta: { lang: 'en', place: { city: 'Kiel' } },
};

test.each<[string, string[]]>([
  ['title', ['Tides']],
  ['pages', ['12']],
  ['open', ['true']],
  ['meta.place.city', ['Kiel']],
  ['authors[0].name', ['Ann']],
  ['authors[-1].name', ['Bo']],
  ['authors[*].name', ['Ann', 'Bo']],
  ['chapters[*].marks[*]', ['x', 'y']],
  ['chapters[9].text', []],
  ['meta.*', ['en', JSON.stringify({ city: 'Kiel' }, null, 2)]],
  ['{title,meta.lang,missing}', ['Tides', 'en']],
  ['authors[1].note', []],
  ['missing.deeper', []],
  ['title.deeper', []],
  ['meta.place', [JSON.stringify({ city: 'Kiel' }, null, 2)]],
  ['constructor', []],
])('when the path is %s, then it finds %j', (path, texts) => {
  expect(textsAt(value, path)).toEqual(texts);
});

test('when the path is $, then it finds the whole; lists are followed a hundred times at most', () => {
  expect(textsAt({ a: 1 }, '$')).toEqual([JSON.stringify({ a: 1 }, null, 2)]);
  expect(textsAt({ list: Array.from({ length: 500 }, String) }, 'list[*]')).toHaveLength(100);
});
