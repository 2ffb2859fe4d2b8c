import fc from 'fast-check';
import { expect, it } from 'vitest';
import { freshDatabase, useFixture } from '@roadstead/testing';
import { isLike } from './like-rules.ts';

const fresh = useFixture(() => freshDatabase('like'));

it('when a text is held against a pattern, then the answer is that of the database', async () => {
  const pieces = (more: string[]) =>
    fc.array(fc.constantFrom('a', 'b', '😀', 'é', '\n', '.', ...more), { maxLength: 8 });
  const pairs = fc.sample(
    fc.record({
      text: pieces(['%', '_', '\\']).map((all) => all.join('')),
      pattern: pieces(['%', '%', '_', '_', '\\%', '\\_', '\\\\', '\\a']).map((all) => all.join('')),
    }),
    5000,
  );
  const rows = await fresh().db.query<{ is_like: boolean }>(
    `select j.text like j.pattern as is_like from rows from (json_to_recordset($1::text::json) as (text text, pattern text)) with ordinality
       as j(text, pattern, n) order by n`,
    [JSON.stringify(pairs)],
  );
  expect(rows.filter((row) => row.is_like).length).toBeGreaterThan(100);
  expect(pairs.map(({ text, pattern }) => isLike(text, pattern))).toEqual(rows.map((row) => row.is_like));
});

it('when a regular expression would try for years, then the answer comes all the same', () => {
  const text = 'a'.repeat(5000);
  expect(isLike(text, `${'%a'.repeat(2000)}%b`)).toBe(false);
  expect(isLike(text, `${'%a_'.repeat(1000)}%b`)).toBe(false);
  expect(isLike(text, `${'%a'.repeat(2000)}%`)).toBe(true);
});
