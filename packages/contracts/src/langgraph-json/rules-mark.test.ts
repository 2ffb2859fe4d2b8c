import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { RULES_MARK } from './rules-mark.ts';

const here = import.meta.dirname;

/** The files that reading depends on, from the reader on, in a stable order; the mark itself is none of them. */
function sources(entry: string): string[] {
  const found = new Set([entry, join(here, 'rules-mark.ts')]);
  // A set also visits what is added on the way.
  for (const file of found)
    for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(/ from '(\.[^']+)'/g))
      found.add(join(dirname(file), path));
  return [...found].filter((file) => file !== join(here, 'rules-mark.ts')).toSorted();
}

/** A text without what has no effect: comments and spaces. */
const bare = (text: string) =>
  text
    .replaceAll(/^\s*\/\*\*[\s\S]*?\*\/$/gm, '')
    .replaceAll(/^\s*\/\/.*$/gm, '')
    .replaceAll(/\s+/g, '');

test('when the rules of reading langgraph.json change, then their mark changes with them', () => {
  const files = sources(join(here, 'read.ts'));
  expect(files.map((file) => relative(here, file))).toEqual([
    '../host/card-words.ts',
    'keys.ts',
    'languages.ts',
    'paths.ts',
    'python-settings.ts',
    'read.ts',
    'settings.ts',
    '../values/repaired-text.ts',
  ]);
  const texts = files.map((file) => bare(readFileSync(file, 'utf8')));
  const mark = createHash('sha256').update(texts.join('\0')).digest('hex').slice(0, 16);
  expect(RULES_MARK, `set RULES_MARK to '${mark}', so that kept configurations are read again`).toBe(mark);
});
