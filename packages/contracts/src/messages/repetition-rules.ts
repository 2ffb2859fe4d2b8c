import type { Message } from './message-rules.ts';
import type { MessageKeys } from './message-keys.ts';

interface Lists {
  readonly before: readonly Message[];
  readonly messages: readonly Message[];
}

/** How many candidates are compared closely: keys may be equal where ids differ. */
const MAX_TRIES = 32;

/**
 * Counts how many of the first `messages` repeat the end of `before`, or else its beginning, from two messages on.
 * Takes time in proportion to `messages`.
 */
export function repeated({ before, messages }: Lists, keys: MessageKeys): number {
  const end = before.slice(Math.max(0, before.length - messages.length));
  const atEnd = repeatedEnd({ before: end, messages }, keys);
  if (atEnd > 0) return atEnd;
  const longest = Math.min(before.length, messages.length);
  let common = 0;
  while (common < longest && isSameAt({ before, messages }, common, keys)) common += 1;
  return common > 1 ? common : 0;
}

function isSameAt({ before, messages }: Lists, at: number, keys: MessageKeys): boolean {
  const message = before[at];
  return message !== undefined && keys.isSame(message, messages[at]);
}

/** The longest beginning of `messages` that is the end of `before`, by the search of Knuth, Morris and Pratt. */
function repeatedEnd({ before, messages }: Lists, keys: MessageKeys): number {
  const pattern = messages.map((message) => keys.candidate(message));
  const borders = bordersOf(pattern);
  let length = 0;
  for (const message of before) length = advance(pattern, borders, { length, key: keys.candidate(message) });
  for (let tries = 0; length > 0 && tries < MAX_TRIES; tries += 1) {
    const start = before.length - length;
    if (before.slice(start).every((message, at) => keys.isSame(message, messages[at]))) return length;
    length = borders[length - 1] ?? 0;
  }
  return 0;
}

/** For each beginning of the pattern, how long its longest other beginning is that is also its end. */
function bordersOf(pattern: readonly number[]): number[] {
  const borders: number[] = [];
  for (const [at, key] of pattern.entries())
    borders.push(at === 0 ? 0 : advance(pattern, borders, { length: borders[at - 1] ?? 0, key }));
  return borders;
}

/** The length of the match after one more key. */
function advance(
  pattern: readonly number[],
  borders: readonly number[],
  come: { readonly length: number; readonly key: number },
): number {
  let length = come.length;
  // A whole match ends here: further keys can only continue a shorter one.
  if (length === pattern.length) length = borders[length - 1] ?? 0;
  while (length > 0 && pattern[length] !== come.key) length = borders[length - 1] ?? 0;
  return pattern[length] === come.key ? length + 1 : 0;
}
