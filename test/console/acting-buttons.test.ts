import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';
import { expect, test } from 'vitest';

/**
 * What the console offers to do, by its source: buttons that need an access, what dialogs submit, entries of menus. A story
 * must name each label; where several buttons share one, that says nothing of the others.
 */

const sources = fileURLToPath(new URL('../../packages/console/src', import.meta.url));
const stories = fileURLToPath(new URL('.', import.meta.url));

type Syntax = Readonly<Record<string, unknown>>;
const isSyntax = (value: unknown): value is Syntax => typeof value === 'object' && value !== null;
const at = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((found, name) => (isSyntax(found) ? found[name] : undefined), value);
const listAt = (value: unknown, ...path: readonly string[]): readonly unknown[] => {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
};

/** The texts that a part of the source may show; of those with values in them, the longest piece. */
function textsOf(part: unknown): readonly string[] {
  switch (at(part, 'type')) {
    case 'Literal':
    case 'JSXText':
      return [String(at(part, 'value'))];
    case 'JSXExpressionContainer':
      return textsOf(at(part, 'expression'));
    case 'ConditionalExpression':
      return [...textsOf(at(part, 'consequent')), ...textsOf(at(part, 'alternate'))];
    case 'TemplateLiteral': {
      const pieces = listAt(part, 'quasis').map((piece) => String(at(piece, 'value', 'cooked')));
      return pieces.toSorted((one, other) => other.length - one.length).slice(0, 1);
    }
    default:
      return [];
  }
}

const named = (parts: readonly unknown[], ...name: readonly string[]) =>
  new Map(parts.map((part) => [at(part, ...name), at(part, 'value')] as const));

function labelsAt(part: Syntax): readonly string[] {
  if (part['type'] === 'ObjectExpression') {
    const members = named(listAt(part, 'properties'), 'key', 'name');
    return members.has('onSelect') ? textsOf(members.get('label')) : [];
  }
  if (part['type'] !== 'JSXElement') return [];
  const attributes = named(listAt(part, 'openingElement', 'attributes'), 'name', 'name');
  const submit = textsOf(attributes.get('submit'));
  if (at(part, 'openingElement', 'name', 'name') !== 'Button' || !attributes.has('needs')) return submit;
  const spoken = textsOf(attributes.get('aria-label'));
  return spoken.length > 0 ? spoken : listAt(part, 'children').flatMap(textsOf);
}

function labelsIn(part: unknown): readonly string[] {
  if (Array.isArray(part)) return part.flatMap(labelsIn);
  return isSyntax(part) ? [...labelsAt(part), ...Object.values(part).flatMap(labelsIn)] : [];
}

/** As stories name it: without the key that does the same, or an arrow; a button that is busy is not pressed. */
const plain = (label: string) =>
  label
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\(\w\)|[←→]/g, '')
    .trim();
/** Whether a quoted text or a pattern begins with it; a piece that follows a value may stand anywhere. */
const BEFORE = ["'", '"', '`', '/^', '(', '|'];
const isNamed = (label: string, told: string) =>
  (/^[a-z]/.test(label) ? [...BEFORE, ' '] : BEFORE).some((before) => told.includes(before + label));
const isBusy = (label: string) => label.endsWith(' …');

test('when the console offers to do something, then a story presses what is so named', () => {
  const labels = new Set(
    globSync(`${sources}/**/*.tsx`)
      .flatMap((file) => labelsIn(parseSync(file, readFileSync(file, 'utf8')).program))
      .map(plain)
      .filter((label) => label !== '' && !isBusy(label)),
  );
  expect(labels.size).toBeGreaterThan(120);
  const told = globSync(`${stories}/**/*.ts`)
    .filter((file) => file !== fileURLToPath(import.meta.url))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
  expect([...labels].filter((label) => !isNamed(label, told))).toEqual([]);
});
