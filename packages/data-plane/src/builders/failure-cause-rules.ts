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

/** Lines below the error of uv that say why. */
const UV_CAUSE = /^\s+(?:cause:|╰─▶) (.+)$/;
const UV_ERROR = /^(?:error:|\s+×) (.+?):?$/;

/** Whether a line of a command's output may explain why it failed. */
export const mayTellCause = (line: string): boolean =>
  PREFIX.test(line) || otherCause(line) !== undefined || UV_CAUSE.test(line) || UV_ERROR.test(line);

/** The cause among such lines, as a sentence without its full stop; undefined when there is none. */
export function failureCause(lines: readonly string[]): string | undefined {
  const cause = npmCause(lines) ?? uvCause(lines) ?? lines.flatMap((line) => otherCause(line) ?? [])[0];
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

/** The error with its first cause; undefined where no cause follows it. */
function uvCause(lines: readonly string[]): string | undefined {
  const at = lines.findIndex((line, place) => UV_ERROR.test(line) && UV_CAUSE.test(lines[place + 1] ?? ''));
  if (at === -1) return undefined;
  return [UV_ERROR.exec(lines[at] ?? '')?.[1], UV_CAUSE.exec(lines[at + 1] ?? '')?.[1]].join(': ');
}
