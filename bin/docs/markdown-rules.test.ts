import { expect, test } from 'vitest';
import { anchorsOf, isLocal, linksOf, rowsBelow } from './markdown-rules.ts';

test('when a text has links and pictures, then all are found but those in code', () => {
  const markdown = [
    'See [one](a.md), [two](../b.md#part) and ![a picture](c.svg); `[not](this.md)`.',
    '<img src="d.svg" alt="">',
    '```sh',
    'echo "[nor](that.md)"',
    '```',
    '[last](https://example.org)',
  ].join('\n');
  expect(linksOf(markdown)).toEqual(['a.md', '../b.md#part', 'c.svg', 'd.svg', 'https://example.org']);
});

test('when headings are linked, then their anchors are those of GitHub', () => {
  const markdown =
    '# A heading\n## `code` and: signs!\n## [Linked](x.md) words\n```\n# none\n```\n## A heading more\n# A heading\n';
  expect([...anchorsOf(markdown)]).toEqual([
    'a-heading',
    'code-and-signs',
    'linked-words',
    'a-heading-more',
    'a-heading-1',
  ]);
});

test.each([
  ['a.md', true],
  ['#part', true],
  ['../LICENSE', true],
  ['https://example.org', false],
  ['mailto:a@example.org', false],
  ['//example.org', false],
])('when a link is %s, then its being local is %s', (link, expected) => {
  expect(isLocal(link)).toBe(expected);
});

test('when rows are read below a heading, then those of the next heading are left out', () => {
  const markdown =
    '## A\n\n| name | what |\n| --- | --- |\n| `one` | 1 |\n| `two` | 2 |\n\n## B\n\n| `three` | 3 |\n';
  expect(rowsBelow(markdown, '## A')).toEqual(['one', 'two']);
});
