import { MAX_VALUE_LENGTH } from './term-rules.ts';

/**
 * Words of full text. A text is cut at everything that is neither letter, digit nor mark, so that `get_weather` is two
 * words; scripts that are written without spaces give a word per character. A uuid is one word: its parts are nearly
 * unique, and such words are what the index costs most. Words are folded to compatible forms
 * and lower case. None is left out for being common.
 *
 * The index is a `tsvector` whose words are made here and not by Postgres, whose own parser knows addresses, paths and
 * signs of numbers, and takes letters to be what the server's locale says.
 */

/** Where a word stands; what is searched by field, beside the words of all fields together. */
export type WordField = 'name' | 'tags' | 'error' | 'metadata' | 'inputs' | 'outputs';

/** By weight where texts are long; where they are short, once more with the field's name before it. */
const weights = { name: 'A', tags: 'A', error: 'A', inputs: 'B', outputs: 'C', metadata: 'D' } as const;
const prefixed: ReadonlySet<WordField> = new Set(['name', 'tags', 'error']);
const bits = { A: 1, B: 2, C: 4, D: 8 } as const;
/** For each set of bits what Postgres reads as these weights; each needs a position, whichever. */
const weightTexts = Array.from({ length: 16 }, (_, set) =>
  (['A', 'B', 'C', 'D'] as const)
    .flatMap((one, at) => ((set & bits[one]) === 0 ? [] : [`${at + 1}${one}`]))
    .join(','),
);

/** How words of a field stand in the index: with a text before them, or with a weight. */
export function placeOf(field: WordField | undefined): {
  readonly prefix: string;
  readonly weight: '' | keyof typeof bits;
} {
  if (field === undefined) return { prefix: '', weight: '' };
  return prefixed.has(field) ? { prefix: `${field}:`, weight: '' } : { prefix: '', weight: weights[field] };
}

/** What is read of a field, and how many different words are kept of it: a run of an agent has about 200. */
const MAX_TEXT_LENGTH = 65_536;
/** The same of one text, so that others beside it are found as well. */
const MAX_ONE_LENGTH = 16_384;
const MAX_WORDS = 3000;
/** Of all fields together, beside the words of entries: the database takes no more than a megabyte. */
const MAX_BYTES = 393_216;
/** With those: what one more value adds fits below a megabyte. */
const MAX_ENTRY_BYTES = 917_504;
/** A longer word is found by its beginning. */
export const MAX_WORD_LENGTH = 64;

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const asciiWord = new RegExp(`${uuid}(?![a-z0-9])|[a-z0-9]+`, 'g');
const anyWord = new RegExp(`${uuid}(?![\\p{L}\\p{N}\\p{M}])|[\\p{L}\\p{N}\\p{M}]+`, 'gu');
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const unspacedOrOther = new RegExp(`${unspaced.source}|[^${unspaced.source.slice(1)}+`, 'gu');
// oxlint-disable-next-line no-control-regex
export const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text);

/** The words of a text, as often as they come. */
export const wordsIn = (text: string): readonly string[] => wordsInFolded(folded(text));

/** The same of a text that is folded already: folding twice may give another. */
export function wordsInFolded(text: string): readonly string[] {
  if (isAscii(text)) return text.match(asciiWord)?.map(cut) ?? [];
  const found = text.match(anyWord) ?? [];
  return found.flatMap((one) =>
    unspaced.test(one) ? (one.match(unspacedOrOther) ?? []).map(cut) : cut(one),
  );
}

/** A word, and how many bytes the database takes it for. */
interface Word {
  readonly lexeme: string;
  readonly bytes: number;
}

/** The words of short texts, which are mostly those of other runs as well; when there are many, all are forgotten. */
const known = new Map<string, readonly Word[]>();
const MAX_KNOWN = 4096;
const MAX_KNOWN_LENGTH = 128;

function measuredWordsIn(text: string): readonly Word[] {
  const found = known.get(text);
  if (found !== undefined) return found;
  const words = wordsIn(text).map((lexeme) => ({ lexeme, bytes: Buffer.byteLength(lexeme) }));
  if (text.length > MAX_KNOWN_LENGTH) return words;
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(text, words);
  return words;
}

const cut = (found: string) =>
  found.length > MAX_WORD_LENGTH ? found.slice(0, MAX_WORD_LENGTH).toWellFormed() : found;

/** In compatible forms and lower case. */
export const folded = (text: string): string => (isAscii(text) ? text : text.normalize('NFKC')).toLowerCase();

/** A word that is asked for: one of the run's begins like this, or is this. */
export interface AskedWord {
  readonly text: string;
  readonly is_whole: boolean;
}
/** Ways in which one thing that is asked for may stand there; of each all words are needed. */
export type WordAlternatives = readonly (readonly AskedWord[])[];

/** Words among which many are looked for. */
export class SortedWords {
  readonly #words: readonly string[];

  constructor(words: Iterable<string>) {
    this.#words = [...new Set(words)].toSorted(byCodeUnit);
  }

  has({ text, is_whole }: AskedWord): boolean {
    let [from, to] = [0, this.#words.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.#words[middle] ?? '') < text) from = middle + 1;
      else to = middle;
    }
    const first = this.#words[from];
    return first !== undefined && (is_whole ? first === text : first.startsWith(text));
  }
}

const byCodeUnit = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);

/** Whether what is asked for is there. */
export const holdsAll = (words: Pick<SortedWords, 'has'>, asked: readonly WordAlternatives[]): boolean =>
  asked.every((ways) => ways.some((some) => some.every((word) => words.has(word))));

/** What a run's texts hold: each word with the weights of where it stands. */
export class Words {
  /** As bits. */
  readonly #weights = new Map<string, number>();
  readonly #read = new Map<WordField, { length: number; words: number }>();
  /** By field, what is asked of it. */
  readonly #sorted = new Map<WordField | undefined, SortedWords>();
  #bytes = 0;

  /** Whether there is room for all words of one more value that is kept among the entries. */
  get takesEntries(): boolean {
    return this.#bytes < MAX_ENTRY_BYTES;
  }

  /** Whether there is room for more of the field. */
  takes(field: WordField): boolean {
    const read = this.#read.get(field);
    return read === undefined || (read.length < MAX_TEXT_LENGTH && read.words < MAX_WORDS);
  }

  /** @param is_entry whether the value is kept among the entries as well, where it is found by its words. */
  add(field: WordField, text: string, is_entry = false): void {
    const read = this.#read.get(field) ?? { length: 0, words: 0 };
    this.#read.set(field, read);
    const looked_at = text.slice(0, Math.min(MAX_ONE_LENGTH, Math.max(MAX_TEXT_LENGTH - read.length, 0)));
    const beginning = text.slice(0, MAX_VALUE_LENGTH);
    if (isBlob(beginning)) return;
    read.length += looked_at.length;
    this.#sorted.clear();
    if (is_entry) for (const word of measuredWordsIn(beginning)) this.#addWord(field, word, read);
    if (is_entry && looked_at.length <= beginning.length) return;
    for (const word of measuredWordsIn(looked_at)) {
      if (read.words >= MAX_WORDS || this.#bytes >= MAX_BYTES) return;
      this.#addWord(field, word, read);
    }
  }

  // oxlint-disable-next-line roadstead/two-positional -- a word of a field, and what is counted of that
  #addWord(field: WordField, { lexeme, bytes }: Word, read: { words: number }): void {
    if (this.#put(lexeme, bytes, bits[weights[field]])) read.words += 1;
    if (prefixed.has(field)) this.#put(`${field}:${lexeme}`, field.length + 1 + bytes, bits.A);
  }

  #put(lexeme: string, bytes: number, bit: number): boolean {
    const before = this.#weights.get(lexeme);
    if (before === undefined) this.#bytes += 5 + bytes;
    else if ((before & bit) !== 0) return false;
    else this.#bytes += 4;
    this.#weights.set(lexeme, (before ?? 0) | bit);
    return true;
  }

  /** Whether what is asked for is there, in this field or in any. */
  has(asked: readonly WordAlternatives[], field?: WordField): boolean {
    const { prefix } = placeOf(field);
    const words = this.#sorted.get(field) ?? this.#sort(field);
    return holdsAll(
      { has: ({ text, is_whole }) => words.has({ text: `${prefix}${text}`, is_whole }) },
      asked,
    );
  }

  #sort(field: WordField | undefined): SortedWords {
    const { weight } = placeOf(field);
    const wanted = weight === '' ? 15 : bits[weight];
    const words = [...this.#weights].flatMap(([lexeme, at]) => ((at & wanted) === 0 ? [] : lexeme));
    const sorted = new SortedWords(words);
    this.#sorted.set(field, sorted);
    return sorted;
  }

  /** As text that Postgres reads as a `tsvector`. Words hold nothing that would have to be escaped. */
  toString(): string {
    let text = '';
    for (const [lexeme, at] of this.#weights) text += `'${lexeme}':${weightTexts[at]} `;
    return text;
  }
}

/** What begins like this is no text but an image, a key, a compressed file. */
const blob = /^(?:data:[^,]{0,100};base64,|[\w+/=-]{256})/;
export const isBlob = (text: string): boolean => blob.test(text);
