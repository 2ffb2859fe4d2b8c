import { MAX_VALUE_LENGTH } from './term-rules.ts';

/**
 * Words of full text. A text is split at every character that is neither letter, digit nor mark, so that
 * `get_weather` is two words; in scripts without spaces each character is a word. A uuid is one word: its parts are
 * nearly unique, and such words cost the index most. Words are folded to compatible forms and lower case. No word is
 * omitted for being common. The index is a `tsvector` whose words are made here and not by Postgres, whose parser
 * treats addresses, paths and signs of numbers specially, and depends on the server's locale for letters.
 */

/** The field of a word; fields are searched one by one, or all together. */
export type WordField = 'name' | 'tags' | 'error' | 'metadata' | 'inputs' | 'outputs';

/**
 * The weight of fields with long texts; words of short texts are stored once more with the field's name before them.
 */
const weights = { name: 'A', tags: 'A', error: 'A', inputs: 'B', outputs: 'C', metadata: 'D' } as const;
const prefixed: ReadonlySet<WordField> = new Set(['name', 'tags', 'error']);
const bits = { A: 1, B: 2, C: 4, D: 8 } as const;
/** For each set of bits the weights as Postgres reads them; each needs a position, whichever. */
const weightTexts = Array.from({ length: 16 }, (_, set) =>
  (['A', 'B', 'C', 'D'] as const)
    .flatMap((one, at) => ((set & bits[one]) === 0 ? [] : [`${at + 1}${one}`]))
    .join(','),
);

/** The form of a field's words in the index: with a text before them, or with a weight. */
export function placeOf(field: WordField | undefined): {
  readonly prefix: string;
  readonly weight: '' | keyof typeof bits;
} {
  if (field === undefined) return { prefix: '', weight: '' };
  return prefixed.has(field) ? { prefix: `${field}:`, weight: '' } : { prefix: '', weight: weights[field] };
}

/**
 * The length that is read of a field, and the number of different words that are kept: a run of an agent has about
 * 200.
 */
const MAX_TEXT_LENGTH = 65_536;
/** The length that is read of one text, so that other texts beside it are found as well. */
const MAX_ONE_LENGTH = 16_384;
const MAX_WORDS = 3000;
/** The bytes of all fields together, without the words of entries: the database accepts no more than a megabyte. */
const MAX_BYTES = 393_216;
/** The bytes including those of entries: the words of one more value still fit below a megabyte. */
const MAX_ENTRY_BYTES = 917_504;
/** The length of a word; a longer one is found by its beginning. */
export const MAX_WORD_LENGTH = 64;

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const asciiWord = new RegExp(`${uuid}(?![a-z0-9])|[a-z0-9]+`, 'g');
const anyWord = new RegExp(`${uuid}(?![\\p{L}\\p{N}\\p{M}])|[\\p{L}\\p{N}\\p{M}]+`, 'gu');
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const unspacedOrOther = new RegExp(`${unspaced.source}|[^${unspaced.source.slice(1)}+`, 'gu');
// oxlint-disable-next-line no-control-regex
export const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text);

/** The words of a text, with repetitions. */
export const wordsIn = (text: string): readonly string[] => wordsInFolded(folded(text));

/** The words of a folded text: folding twice may give another result. */
export function wordsInFolded(text: string): readonly string[] {
  if (isAscii(text)) return text.match(asciiWord)?.map(cut) ?? [];
  const found = text.match(anyWord) ?? [];
  return found.flatMap((one) =>
    unspaced.test(one) ? (one.match(unspacedOrOther) ?? []).map(cut) : cut(one),
  );
}

/** A word, and the number of bytes that it takes in the database. */
interface Word {
  readonly lexeme: string;
  readonly bytes: number;
}

/** The words of short texts, most of which recur in other runs; when they become many, all are forgotten. */
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

/** The text in compatible forms and lower case. */
export const folded = (text: string): string => (isAscii(text) ? text : text.normalize('NFKC')).toLowerCase();

/** A word of a query: a word of the run begins with it, or equals it. */
export interface AskedWord {
  readonly text: string;
  readonly is_whole: boolean;
}
/** Alternative forms of one part of a query; each form needs all of its words. */
export type WordAlternatives = readonly (readonly AskedWord[])[];

/** Sorted words, for many searches among them. */
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

/** Whether the words contain each part of a query in one of its forms. */
export const holdsAll = (words: Pick<SortedWords, 'has'>, asked: readonly WordAlternatives[]): boolean =>
  asked.every((ways) => ways.some((some) => some.every((word) => words.has(word))));

/** The words of a run's texts, each with the weights of its fields. */
export class Words {
  /** The weights of each word, as bits. */
  readonly #weights = new Map<string, number>();
  readonly #read = new Map<WordField, { length: number; words: number }>();
  /** The sorted words by field, made when a query first needs them. */
  readonly #sorted = new Map<WordField | undefined, SortedWords>();
  #bytes = 0;

  /** Whether all words of one more value of the entries fit. */
  get takesEntries(): boolean {
    return this.#bytes < MAX_ENTRY_BYTES;
  }

  /** Whether more words of the field fit. */
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

  /** Whether the words contain each part of a query, in this field or in any. */
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

  /** The words as text that Postgres reads as a `tsvector`. Words contain nothing that needs escaping. */
  toString(): string {
    let text = '';
    for (const [lexeme, at] of this.#weights) text += `'${lexeme}':${weightTexts[at]} `;
    return text;
  }
}

/** The beginning of a value that is no text but an image, a key or a compressed file. */
const blob = /^(?:data:[^,]{0,100};base64,|[\w+/=-]{256})/;
export const isBlob = (text: string): boolean => blob.test(text);
