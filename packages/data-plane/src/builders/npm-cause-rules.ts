/** What npm prints before each line of an error. */
const PREFIX = /^npm (?:error|ERR!) ?/;
/** Lines that say nothing of the cause. */
const BESIDE =
  /^(code|errno|syscall|path|command|dest|signal|A complete log|Log files|This is |Fix the upstream)\b/;
/** Lines that say it best, where there are such. */
const DETAIL = /^(Missing|Invalid|Could not resolve|notarget|404|peer|enoent)\b/;
const MAX_LENGTH = 300;

export const isNpmError = (line: string): boolean => PREFIX.test(line);

/** The cause among npm's lines of an error, in a sentence without its last stop; undefined when there is none. */
export function npmCause(lines: readonly string[]): string | undefined {
  const texts = lines
    .map((line) => line.replace(PREFIX, '').trim())
    .filter((text) => text !== '' && !BESIDE.test(text));
  const [first] = texts;
  const detail = texts.slice(1).find((text) => DETAIL.test(text));
  const cause = [first, detail].filter((text) => text !== undefined).join(' ');
  return cause === '' ? undefined : cause.slice(0, MAX_LENGTH).replace(/[.\s]+$/, '');
}
