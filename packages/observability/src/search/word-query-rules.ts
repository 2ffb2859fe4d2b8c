import { MAX_VALUE_LENGTH } from './term-rules.ts';
import {
  type WordAlternatives,
  type AskedWord,
  folded,
  isAscii,
  isBlob,
  MAX_WORD_LENGTH,
  placeOf,
  type WordField,
  wordsInFolded,
} from './word-rules.ts';

/** The words of a query: from `search`, a pattern of `like`, or a value. */

const begun = (text: string): AskedWord => ({ text, is_whole: false });
const whole = (text: string): AskedWord => ({ text, is_whole: true });

/** A text that may be the beginning of a uuid, folded; not inside something longer. */
const likeUuid =
  /(?<![\p{L}\p{N}\p{M}])[0-9a-f]{8}(?:-[0-9a-f]{4}){0,3}-[0-9a-f]{0,12}(?![\p{L}\p{N}\p{M}-])/gu;

/**
 * `search("inv 42")` finds `Invoice 4200`: every word of the query is the beginning of one of the run's. A text that
 * looks like a uuid may be stored as one word or, where it begins something else, as several.
 */
export const searchedWords = (text: string): WordAlternatives[] => askedWords(text, begun);

function askedWords(text: string, asked: (word: string) => AskedWord): WordAlternatives[] {
  const all = folded(text);
  const words = [...(all.match(likeUuid) ?? []), ...wordsInFolded(all.replaceAll(likeUuid, ' '))];
  return [...new Set(words)].map((word) =>
    word.includes('-') ? [[asked(word)], word.split('-').filter(Boolean).map(asked)] : [[asked(word)]],
  );
}

/** The words of texts that equal this one, as far as entries show; empty where no word is certain. */
export function wordsOfValue(value: string): WordAlternatives[] {
  // Null has no words, though it is written as `null`.
  if (value === 'null' || isBlob(value)) return [];
  if (value.length <= MAX_VALUE_LENGTH) return askedWords(value, whole);
  // Its last word may continue, and folding may turn its end into another character.
  const beginning = value.slice(0, MAX_VALUE_LENGTH);
  return askedWords(beginning.slice(0, Math.max(beginning.search(lastBoundary), 0)), whole);
}

/**
 * The last character that certainly separates words and does not affect how others are folded, and the text behind
 * it.
 */
// oxlint-disable-next-line no-control-regex
const lastBoundary =
  /[\0-&(-,/;-@[-\]_{-\x7f\u3001\u3002\uff0c](?:[^\0-\x7f\u3001\u3002\uff0c]|[A-Za-z0-9'.:^`-])*$/;

/**
 * Words that every text matching the pattern contains: those of ASCII letters and digits between two other ASCII
 * characters, and the beginnings of words that the pattern leaves open. A character at an open end may be part of
 * another one.
 */
export function wordsOfPattern(pattern: string): WordAlternatives[] {
  const parts = pattern.replaceAll(/\\(.)/gsu, '\ufdd0$1').split(/(?<!\ufdd0)[%_]/u);
  const asked = parts.flatMap((part, index) => {
    const is_first = index === 0;
    const is_last = index === parts.length - 1;
    const text = `${is_first ? ' ' : '.'}${part.replaceAll('\ufdd0', '')}${is_last ? ' ' : '.'}`;
    return wordsOfPart(text, (at) => (at === 0 && !is_first) || (at === text.length - 1 && !is_last));
  });
  return [...new Map(asked.map((one) => [JSON.stringify(one), one])).values()];
}

/** @param isOpen whether any text may follow at this place. */
function wordsOfPart(text: string, isOpen: (at: number) => boolean): WordAlternatives[] {
  const asked: WordAlternatives[] = [];
  /** The parts of a uuid, as they are stored where it ends or begins something longer. */
  let uuid: { readonly end: number; readonly word: string; readonly parts: AskedWord[] } | undefined;
  const endUuid = () => {
    if (uuid !== undefined && uuid.parts.length > 0) asked.push([[whole(uuid.word)], uuid.parts]);
    uuid = undefined;
  };
  for (const { 0: found, index } of text.matchAll(/[A-Za-z0-9]+/g)) {
    const end = index + found.length;
    if (uuid !== undefined && index >= uuid.end) endUuid();
    uuid ??= uuidAt(text, index);
    const word = wordAt(text, { index, end, isOpen });
    if (word === undefined) continue;
    if (uuid !== undefined) uuid.parts.push(word);
    else if (!mayBeOfUuid(text, { index, end, isOpen })) asked.push([[word]]);
  }
  endUuid();
  return asked;
}

interface PatternPosition {
  readonly index: number;
  readonly end: number;
  readonly isOpen: (at: number) => boolean;
}

function wordAt(text: string, { index, end, isOpen }: PatternPosition): AskedWord | undefined {
  if (isOpen(index - 1) || !isAscii(text[index - 1] ?? '') || !isAscii(text[end] ?? '')) return undefined;
  const word = text.slice(index, end).toLowerCase();
  if (!isOpen(end)) return word.length <= MAX_WORD_LENGTH ? whole(word) : undefined;
  return word.length > 2 ? begun(word.slice(0, -1).slice(0, MAX_WORD_LENGTH)) : undefined;
}

const uuidHere = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![a-z0-9])/iy;

function uuidAt(text: string, index: number) {
  uuidHere.lastIndex = index;
  const found = uuidHere.exec(text)?.[0];
  return found === undefined
    ? undefined
    : { end: index + found.length, word: found.toLowerCase(), parts: [] as AskedWord[] };
}

/** Whether it could be a part of a uuid, and so not a word of its own. */
function mayBeOfUuid(text: string, { index, end, isOpen }: PatternPosition): boolean {
  if (text[index - 1] !== '-' && text[end] !== '-') return false;
  const length = end - index;
  const fits =
    isOpen(index - 1) || isOpen(end) ? length <= 12 : length === 4 || length === 8 || length === 12;
  return fits && /^[0-9a-f]+$/i.test(text.slice(index, end));
}

/** The query in one field, or in any, as text that Postgres reads as a `tsquery`; undefined where it is empty. */
export function wordQueryText(
  asked: readonly WordAlternatives[],
  { field }: { readonly field: WordField | undefined },
): string | undefined {
  const { prefix, weight } = placeOf(field);
  const one = ({ text, is_whole }: AskedWord) => {
    const flags = `${is_whole ? '' : '*'}${weight}`;
    return `${quoted(`${prefix}${text}`)}${flags === '' ? '' : `:${flags}`}`;
  };
  const ways = asked.map((some) => some.map((words) => words.map(one).join(' & ')));
  if (ways.length === 0) return undefined;
  return ways
    .map((some) => (some.length === 1 ? some[0] : `(${some.map((way) => `(${way})`).join(' | ')})`))
    .join(' & ');
}

const quoted = (lexeme: string) => `'${lexeme.replaceAll("'", "''").replaceAll('\\', '\\\\')}'`;
