import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LogPage } from './log-page-rules.ts';

const lineOf = (message: string, at: number) => ({
  id: `1-${at}`,
  timestamp: '2026-01-01T00:00:00.000Z',
  level: 'INFO',
  message,
});

test('when logs are paged, then pages stay in size and together hold every line once, in order', () => {
  const messages = fc.array(fc.string({ unit: 'binary', maxLength: 3000 }), { maxLength: 30 });
  fc.assert(
    fc.property(messages, fc.integer({ min: 1000, max: 5000 }), (said, max_chars) => {
      const logs = said.map(lineOf);
      let [read, pages] = [0, 0];
      while (read < logs.length) {
        const page = new LogPage(max_chars);
        const cursor = page.add(logs.slice(read));
        expect(cursor).toBe(logs[read + page.lines.length - 1]?.id);
        const answer = { lines: page.lines, has_more: true, next_cursor: 'x'.repeat(30) };
        expect(JSON.stringify(answer).length).toBeLessThanOrEqual(max_chars);
        read += page.lines.length;
        pages += 1;
      }
      expect(pages).toBeLessThanOrEqual(logs.length);
    }),
  );
});

test('when a line is cut, then it says by how much', () => {
  const page = new LogPage(30_000);
  page.add([lineOf('x'.repeat(2010), 0)]);
  expect(page.lines[0]).toMatch(/ INFO x{2000}\.\.\. \(\+10 chars\)$/);
});
