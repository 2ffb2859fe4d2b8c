/** The prefix of each line of an error of npm. */
const PREFIX = /^npm (?:error|ERR!) ?/;
/** Lines that do not name the cause. */
const BESIDE =
  /^(code|errno|syscall|path|command|dest|signal|A complete log|Log files|This is |Fix the upstream)\b/;
/** Lines that name it best, where there are any. */
const DETAIL = /^(Missing|Invalid|Could not resolve|notarget|404|peer|enoent)\b/;
const MAX_LENGTH = 300;

/** The one line of other package managers: classic yarn and bun, later yarns, pnpm. */
const OTHERS: readonly RegExp[] = [
  /^error:? (?:Error: )?(.+)$/,
  /^➤ YN00(?:01|09|16|28|35|41|78|82): [│└] (?![+-])(.+)$/,
  /^\s*(?:Error: )?(ERR_PNPM_\w+.*)$/,
];

const otherCause = (line: string) => OTHERS.flatMap((form) => form.exec(line)?.[1] ?? [])[0];

/** Whether a line of a command's output may explain why it failed. */
export const mayTellCause = (line: string): boolean => PREFIX.test(line) || otherCause(line) !== undefined;

/** The cause among such lines, as a sentence without its full stop; undefined when there is none. */
export function failureCause(lines: readonly string[]): string | undefined {
  const cause = npmCause(lines) ?? lines.flatMap((line) => otherCause(line) ?? [])[0];
  return cause?.slice(0, MAX_LENGTH).replace(/[.\s]+$/, '');
}

function npmCause(lines: readonly string[]): string | undefined {
  const texts = lines
    .filter((line) => PREFIX.test(line))
    .map((line) => line.replace(PREFIX, '').trim())
    .filter((text) => text !== '' && !BESIDE.test(text));
  const [first] = texts;
  const detail = texts.slice(1).find((text) => DETAIL.test(text));
  const cause = [first, detail].filter((text) => text !== undefined).join(' ');
  return cause === '' ? undefined : cause;
}
