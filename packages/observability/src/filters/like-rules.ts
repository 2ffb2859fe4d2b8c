/**
 * Whether a text fits a pattern of SQL's `like`, in about the time that reading both takes: a regular expression would
 * try every way to share the text out among several `%`.
 */
export function isLike(text: string, pattern: string): boolean {
  const runs = runsOf(pattern);
  const [first = [], ...others] = runs;
  const last = others.pop();
  let at = endOfMatch(first, { text, at: 0 });
  if (last === undefined) return at === text.length;
  for (const run of others) {
    if (at === undefined) return false;
    at = findRun(run, { text, at });
  }
  return at !== undefined && endsWithRun(last, { text, at });
}

/** The part between two `%`: texts separated by one arbitrary character each. */
type Run = readonly string[];

interface TextPosition {
  readonly text: string;
  readonly at: number;
}

/** `%` stands for any text, `_` for any character, a backslash before one of them for itself. */
function runsOf(pattern: string): readonly Run[] {
  const runs: string[][] = [['']];
  for (const [part, escaped] of pattern.matchAll(/\\(.)|[%_]|[^\\%_]+|\\$/gsu)) {
    const run = runs.at(-1) ?? [];
    if (part === '%') runs.push(['']);
    else if (part === '_') run.push('');
    else run.push(`${run.pop() ?? ''}${escaped ?? part}`);
  }
  return runs;
}

/** The end of the run that begins at this place; undefined where it does not match. */
function endOfMatch(run: Run, { text, at }: TextPosition): number | undefined {
  let end = at;
  for (const [index, piece] of run.entries()) {
    if (index > 0) {
      const character = text.codePointAt(end);
      if (character === undefined) return undefined;
      end += character > 0xff_ff ? 2 : 1;
    }
    if (!text.startsWith(piece, end)) return undefined;
    end += piece.length;
  }
  return end;
}

/** The end of the first such run behind a place. */
function findRun(run: Run, { text, at }: TextPosition): number | undefined {
  const [only = '', ...others] = run;
  if (others.length === 0) {
    const found = text.indexOf(only, at);
    return found < 0 ? undefined : found + only.length;
  }
  for (let start = at; start < text.length; start += 1) {
    const end = isWithinCharacter(text, start) ? undefined : endOfMatch(run, { text, at: start });
    if (end !== undefined) return end;
  }
  return undefined;
}

function endsWithRun(run: Run, { text, at }: TextPosition): boolean {
  const [only = '', ...others] = run;
  if (others.length === 0) return text.length - only.length >= at && text.endsWith(only);
  // A character is one unit or two.
  const most = run.join('').length + 2 * others.length;
  for (let start = Math.max(at, text.length - most); start < text.length; start += 1)
    if (!isWithinCharacter(text, start) && endOfMatch(run, { text, at: start }) === text.length) return true;
  return false;
}

/** Whether the second half of a character of two units is at this place. */
const isWithinCharacter = (text: string, at: number) => at > 0 && (text.codePointAt(at - 1) ?? 0) > 0xff_ff;
