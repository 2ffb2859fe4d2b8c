import { expect, test } from 'vitest';
import {
  linesOf,
  namesIn,
  type PromptEntry,
  readManifest,
  variablesOf,
  writeManifest,
} from './prompt-rules.ts';

test.each([
  ['Hello {{name}} and {{ name }}', 'mustache', ['name']],
  ['{{#items}}{{title}}{{/items}} {{user.name}} {{{raw}}}', 'mustache', ['items', 'title', 'user', 'raw']],
  ['{name} is {{not}} one, {price:.2f} is', 'f-string', ['name', 'price']],
  ['nothing', 'mustache', []],
] as const)('when a template is %j, as %s, then its names are found', (text, format, names) => {
  expect(namesIn(text, format)).toEqual(names);
});

const entries: readonly PromptEntry[] = [
  { kind: 'message', role: 'system', text: 'Answer in {{language}}.' },
  { kind: 'placeholder', name: 'history', is_optional: true },
  { kind: 'message', role: 'user', text: '{{question}}' },
];

test('when messages are written, then they are read back as they were', () => {
  const manifest = writeManifest(entries, { format: 'mustache' });
  expect(readManifest(manifest)).toEqual({ entries, format: 'mustache', schema: undefined });
  expect(variablesOf(entries, 'mustache').map(({ name }) => name)).toEqual([
    'language',
    'history',
    'question',
  ]);
  expect(linesOf(manifest)).toContain('— system\nAnswer in {{language}}.\n');
});

test('when a manifest holds what is not known, then an edit keeps it', () => {
  const odd = { lc: 1, type: 'constructor', id: ['langchain', 'Odd'], kwargs: { a: 1 } };
  const over = {
    lc: 1,
    type: 'constructor',
    id: ['langchain', 'StructuredPrompt'],
    kwargs: { messages: [odd], schema_: { title: 'x' } },
  };
  const read = readManifest(over);
  expect(read).toEqual({
    entries: [{ kind: 'kept', value: odd }],
    format: 'mustache',
    schema: { title: 'x' },
  });
  const again = writeManifest(read?.entries ?? [], { format: 'mustache', over });
  expect(again).toEqual({ ...over, kwargs: { ...over.kwargs, input_variables: [] } });
});

test('when a manifest holds no messages, then there is nothing to edit as messages', () => {
  expect(readManifest({ files: {} })).toBeUndefined();
});
