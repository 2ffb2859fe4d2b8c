import { expect, test } from 'vitest';
import { decisionIndex, readDecision } from './decision-rules.ts';

const file = '0007-a-few-words.md';
const text = (head: string, note = '**Context.** …') => `# A few words\n\n${head}\n\n${note}\n`;

test('when a decision is accepted, then its first lines give number, title, date and topic', () => {
  expect(readDecision(file, text('2026-11-21 · A2A · accepted'))).toEqual({
    number: 7,
    file,
    title: 'A few words',
    date: '2026-11-21',
    topic: 'A2A',
    status: 'accepted',
    note: undefined,
  });
});

test('when a decision was corrected, then its note says what holds now', () => {
  const head = '2026-11-21 · A2A · corrected by [12](0012-x.md), [40](0040-y-z.md)';
  expect(readDecision(file, text(head, '> It is five now.'))).toMatchObject({
    status: 'corrected by [12](0012-x.md), [40](0040-y-z.md)',
    note: 'It is five now.',
  });
});

const refused = {
  'its name has no number': ['words.md', text('2026-11-21 · A2A · accepted'), 'is not named like'],
  'its title begins with a number': [file, '# 7. A few words\n\n2026-11-21 · A2A · accepted\n', 'title'],
  'there is no line of its status': [file, '# A few words\n\n**Context.** …\n', 'third line'],
  'its status is unknown': [file, text('2026-11-21 · A2A · rejected'), 'third line'],
  'it names no decision that corrected it': [file, text('2026-11-21 · A2A · corrected'), 'third line'],
  'it names a decision by the number of another': [
    file,
    text('2026-11-21 · A2A · corrected by [12](0013-x.md)', '> Five.'),
    'third line',
  ],
  'its topic is unknown': [file, text('2026-11-21 · Ships · accepted'), 'has the topic "Ships"'],
  'it was overtaken and has no note': [
    file,
    text('2026-11-21 · A2A · overtaken by [12](0012-x.md)'),
    'does not note',
  ],
  'it is accepted and has a note': [file, text('2026-11-21 · A2A · accepted', '> Five.'), 'but notes'],
} as const satisfies Record<string, readonly [string, string, string]>;

test.each(Object.entries(refused))('when %s, then a decision is refused', (_, [name, content, sentence]) => {
  expect(() => readDecision(name, content)).toThrow(sentence);
});

test('when decisions are listed, then each stands under its topic with its status', () => {
  const decisions = [
    readDecision(file, text('2026-11-21 · A2A · accepted')),
    readDecision('0009-b.md', text('2026-11-22 · Platform · overtaken by [7](0007-a-few-words.md)', '> B.')),
  ];
  const lines = decisionIndex(decisions).split('\n');
  expect(lines.indexOf('## Platform')).toBeLessThan(lines.indexOf('## A2A'));
  expect(lines).toContain('| 7 | [A few words](0007-a-few-words.md) | 2026-11-21 | accepted |');
  expect(lines).toContain(
    '| 9 | [A few words](0009-b.md) | 2026-11-22 | overtaken by [7](0007-a-few-words.md) |',
  );
  expect(lines).not.toContain('## Datasets');
});
