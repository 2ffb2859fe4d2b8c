import { cutText, headOf } from '../../paging/text-cut-rules.ts';
import { type Path, pathText } from '../../paging/value-path-rules.ts';

/** Finds the words of a search in what a run recorded. */

export interface Match {
  /** The path for `get_run`. */
  readonly path: string;
  readonly text: string;
}

/** The most that is examined of one run; the index, too, has only the beginning of its texts. */
const MAX_LOOKED_AT = 200_000;
const MAX_TEXT = 65_536;
const MAX_VALUES = 20_000;
const MAX_DEPTH = 50;
const MAX_WORDS = 10;
const MAX_PATH = 150;
/** Characters shown before and after a match. */
const AROUND = 80;

/** The texts that contain most of the searched words, the best first. */
export function matchesIn(
  record: unknown,
  { query, most }: { readonly query: string; readonly most: number },
): Match[] {
  const words = wordsOf(query);
  const whole = patternOf([query.trim()]);
  const found: { readonly path: Path; readonly text: string; readonly score: number; readonly at: number }[] =
    [];
  for (const { path, text } of textsIn(record)) {
    const beginning = text.slice(0, MAX_TEXT);
    const phrase = whole?.exec(beginning) ?? undefined;
    const hits = words.filter((word) => word.test(beginning));
    if (phrase === undefined && hits.length === 0) continue;
    const at = phrase?.index ?? hits[0]?.exec(beginning)?.index ?? 0;
    found.push({ path, text: beginning, score: phrase === undefined ? hits.length : words.length + 1, at });
  }
  return found
    .toSorted((one, other) => other.score - one.score)
    .map(({ path, ...match }) => ({ path: pathText(path), ...match }))
    .filter(({ path }) => path.length <= MAX_PATH)
    .slice(0, most)
    .map(({ path, text, at }) => ({ path, text: excerpt(text, at) }));
}

/** The words in the form of the index: letters and digits, each the beginning of a word in the text. */
const wordsOf = (query: string) =>
  [...new Set(query.match(/[\p{L}\p{N}\p{M}]+/gu))]
    .slice(0, MAX_WORDS)
    .flatMap((word) => patternOf([word]) ?? []);

function patternOf([text = '']: readonly string[]): RegExp | undefined {
  return text === ''
    ? undefined
    : new RegExp(text.replaceAll(/[$()*+.?[\\\]^{|}/-]/g, String.raw`\$&`), 'iu');
}

function* textsIn(record: unknown): Generator<{ readonly path: Path; readonly text: string }> {
  const left: { readonly path: Path; readonly value: unknown }[] = [{ path: [], value: record }];
  let chars = 0;
  let values = 0;
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { path, value } = next;
    values += 1;
    if (chars > MAX_LOOKED_AT || values > MAX_VALUES) return;
    if (typeof value === 'string') {
      chars += Math.min(value.length, MAX_TEXT);
      yield { path, text: value };
    } else if (typeof value === 'object' && value !== null && path.length < MAX_DEPTH) {
      const members: [string | number, unknown][] = Array.isArray(value)
        ? value.slice(0, MAX_VALUES).map((inner: unknown, at) => [at, inner])
        : Object.entries(value);
      for (const [step, inner] of members.toReversed()) left.push({ path: [...path, step], value: inner });
    }
  }
}

/** The text around a match, on one line. */
function excerpt(text: string, at: number): string {
  const start = Math.max(0, at - AROUND);
  const before = start === 0 ? '' : '…';
  // A surrogate pair that the start would split is left out.
  const rest = text.slice(start).replace(/^[\udc00-\udfff]/, '');
  const head = headOf(rest, 3 * AROUND);
  const after = head.length < rest.length ? '…' : '';
  const line = `${before}${head}${after}`.replaceAll(/\s+/g, ' ');
  const cut = cutText(line, 3 * AROUND + 2);
  return typeof cut === 'string' ? cut : cut.head;
}
