import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';
import { expect, test } from 'vitest';

/**
 * What the console offers to do, by its source: buttons that need an access, what dialogs submit, entries of menus. The
 * stories of a view must name each label as often as the view offers it, since several buttons may share one.
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

/** Something that a part of the console offers; of a label with values in it only a piece is known. */
interface Label {
  readonly text: string;
  readonly isPiece: boolean;
}

const whole = (text: string): Label => ({ text, isPiece: false });

/** The texts that a part of the source may show; of those with values in them, the longest piece. */
function textsOf(part: unknown): readonly Label[] {
  switch (at(part, 'type')) {
    case 'Literal':
    case 'JSXText':
      return [whole(String(at(part, 'value')))];
    case 'JSXExpressionContainer':
      return textsOf(at(part, 'expression'));
    case 'ConditionalExpression':
      return [...textsOf(at(part, 'consequent')), ...textsOf(at(part, 'alternate'))];
    case 'TemplateLiteral': {
      const pieces = listAt(part, 'quasis').map((piece) => String(at(piece, 'value', 'cooked')));
      const [text = ''] = pieces.toSorted((one, other) => other.length - one.length);
      return [{ text, isPiece: pieces.length > 1 }];
    }
    default:
      return [];
  }
}

const named = (parts: readonly unknown[], ...name: readonly string[]) =>
  new Map(parts.map((part) => [at(part, ...name), at(part, 'value')] as const));

function labelsAt(part: Syntax): readonly Label[] {
  if (part['type'] === 'ObjectExpression') {
    const members = named(listAt(part, 'properties'), 'key', 'name');
    return members.has('onSelect') ? textsOf(members.get('label')) : [];
  }
  if (part['type'] !== 'JSXElement') return [];
  const attributes = named(listAt(part, 'openingElement', 'attributes'), 'name', 'name');
  const submit = textsOf(attributes.get('submit'));
  if (at(part, 'openingElement', 'name', 'name') !== 'Button' || !attributes.has('needs')) return submit;
  const spoken = textsOf(attributes.get('aria-label'));
  if (spoken.length > 0) return spoken;
  const children = listAt(part, 'children');
  const hasValue = children.some(
    (child) => at(child, 'type') === 'JSXExpressionContainer' && textsOf(child).length === 0,
  );
  return children.flatMap(textsOf).map(({ text, isPiece }) => ({ text, isPiece: isPiece || hasValue }));
}

function labelsIn(part: unknown): readonly Label[] {
  if (Array.isArray(part)) return part.flatMap(labelsIn);
  return isSyntax(part) ? [...labelsAt(part), ...Object.values(part).flatMap(labelsIn)] : [];
}

/** As stories name it: without the key that does the same, an arrow, or the dots of what asks further. */
const plain = (text: string) =>
  text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\(\w\)|[←→]/g, '')
    .replace(/ …$/, '')
    .trim();
/** What a button that is busy says: nobody presses it. */
const BUSY = ['One moment', 'Stopping'];

/** What stands before a label in a story; before a piece that follows a value, anything may. */
const BEFORE = ["'", '"', '`', '/^', '(', '|'];
/** What stands after it: an end, a value, the dots or a key. */
const AFTER = /^(?:[^\w ]| \$\{| …| \(\w\))/;

const timesNamed = ({ text, isPiece }: Label, told: string) =>
  (/^[a-z]/.test(text) ? [...BEFORE, ' '] : BEFORE)
    .flatMap((before) => told.split(before + text).slice(1))
    .filter((after) => isPiece || AFTER.test(after)).length;

/** The stories that press what a part of the console offers. */
const storiesOf: Readonly<Record<string, readonly string[]>> = {
  ui: ['*'],
  shell: ['shell*', 'session*', 'workspaces*'],
  alerts: ['monitoring*'],
  datasets: ['datasets*', 'examples*'],
  deployments: ['deployment*', 'new-deployment*'],
  playground: ['playground*'],
  prompts: ['prompts*'],
  queues: ['queues*'],
  settings: ['settings*'],
  talk: ['talk*', 'run-buttons*'],
  traces: ['traces*', 'run-buttons*'],
};

const read = (file: string) => readFileSync(file, 'utf8');
const partOf = (file: string) => /^(?:views\/)?([^/]+)/.exec(file.slice(sources.length + 1))?.[1] ?? '';

interface OfferedLabel extends Label {
  /** The parts of the source that offer it, once for each button. */
  readonly files: readonly string[];
}

/** What each part of the console offers. */
function offered(): ReadonlyMap<string, readonly OfferedLabel[]> {
  const labels = globSync(`${sources}/**/*.tsx`).flatMap((file) =>
    labelsIn(parseSync(file, read(file)).program)
      .map((label) => ({ ...label, file, text: plain(label.text) }))
      .filter(({ text }) => text !== '' && !BUSY.includes(text)),
  );
  const byPart = Map.groupBy(labels, ({ file }) => partOf(file));
  return new Map(
    [...byPart].map(([part, all]) => [
      part,
      [...Map.groupBy(all, ({ text }) => text)].map(([text, same]) => ({
        text,
        isPiece: same.some(({ isPiece }) => isPiece),
        files: same.map(({ file }) => file.slice(sources.length + 1)),
      })),
    ]),
  );
}

test('when the console offers to do something, then the stories of its view press it as often', () => {
  const parts = offered();
  expect([...parts.values()].flat().flatMap(({ files }) => files).length).toBeGreaterThan(240);
  expect([...parts.keys()].toSorted()).toEqual(Object.keys(storiesOf).toSorted());
  const unpressed = [...parts].flatMap(([part, labels]) => {
    const told = (storiesOf[part] ?? [])
      .flatMap((name) => globSync(`${stories}/${name}.test.ts`))
      .filter((file) => file !== fileURLToPath(import.meta.url))
      .map(read)
      .join('\n');
    return labels
      .map((label) => ({ ...label, named: timesNamed(label, told) }))
      .filter(({ named, files }) => named < files.length)
      .map(({ text, named, files }) => `${text}: ${named} of ${files.join(', ')}`);
  });
  expect(unpressed).toEqual([]);
});
