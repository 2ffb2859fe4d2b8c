/** Reads the colours of terminals. Whatever else a program tells a terminal is left out. Pure. */

export interface Piece {
  readonly text: string;
  /** Names of classes: the tokens of the console, so that each colour can be read in light and dark. */
  readonly look: string;
}

const ink = [
  'text-quiet',
  'text-bad',
  'text-good',
  'text-warn',
  'text-accent',
  'text-busy',
  'text-accent',
  'text-ink',
];
const ground = [
  'bg-sunk',
  'bg-bad-soft',
  'bg-good-soft',
  'bg-warn-soft',
  'bg-accent-soft',
  'bg-busy-soft',
  'bg-accent-soft',
  'bg-sunk',
];

interface Style {
  readonly ink?: number | undefined;
  readonly ground?: number | undefined;
  readonly bold?: boolean;
  readonly italic?: boolean;
  readonly underlined?: boolean;
}

/** A sequence of a terminal: a control sequence, a title or link (to its end), or a single one. */
// oxlint-disable-next-line no-control-regex -- these are what it looks for
const SEQUENCE = /\u001B(?:\[([0-9;:]*)[ -/]*([@-~])|\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[@-Z\\-_])/g;
// oxlint-disable-next-line no-control-regex -- a tab is the only one that is shown
const CONTROLS = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g;

/** The pieces of a line, each of one look. */
export function piecesOf(line: string): Piece[] {
  const visible = afterReturn(line);
  if (!visible.includes('\u001B')) return [{ text: visible.replace(CONTROLS, ''), look: '' }];
  const pieces: Piece[] = [];
  let style: Style = {};
  let from = 0;
  const push = (end: number) => {
    const text = visible.slice(from, end).replace(CONTROLS, '');
    if (text !== '') pieces.push({ text, look: lookOf(style) });
  };
  for (const match of visible.matchAll(SEQUENCE)) {
    push(match.index);
    from = match.index + match[0].length;
    if (match[2] === 'm') style = restyled(style, match[1] ?? '');
  }
  push(visible.length);
  return pieces;
}

export const plainText = (line: string): string =>
  piecesOf(line)
    .map(({ text }) => text)
    .join('');

/** Gives what was there last of a line that was written over, as progress bars do. */
function afterReturn(line: string): string {
  if (!line.includes('\r')) return line;
  const written = line.split('\r').filter((part) => part !== '');
  return written.at(-1) ?? '';
}

const lookOf = (style: Style): string =>
  [
    style.ink === undefined ? '' : ink[style.ink],
    style.ground === undefined ? '' : ground[style.ground],
    style.bold === true ? 'font-bold' : '',
    style.italic === true ? 'italic' : '',
    style.underlined === true ? 'underline' : '',
  ]
    .filter(Boolean)
    .join(' ');

const simple: Readonly<Record<number, Style>> = {
  1: { bold: true },
  3: { italic: true },
  4: { underlined: true },
  22: { bold: false },
  23: { italic: false },
  24: { underlined: false },
  39: { ink: undefined },
  49: { ground: undefined },
};

function restyled(style: Style, parameters: string): Style {
  const codes = parameters.split(/[;:]/).map(Number);
  let next = style;
  for (let index = 0; index < codes.length; index += 1) {
    const code = codes[index] ?? 0;
    const extended = code === 38 || code === 48 ? extendedColour(codes, index + 1) : undefined;
    if (extended !== undefined) {
      next = { ...next, [code === 38 ? 'ink' : 'ground']: extended.colour };
      index += extended.length;
    } else if (code === 0) next = {};
    else next = { ...next, ...(simple[code] ?? basicColour(code)) };
  }
  return next;
}

function basicColour(code: number): Style {
  const [tens, ones] = [Math.floor(code / 10), code % 10];
  if (ones > 7) return {};
  if (tens === 3 || tens === 9) return { ink: code === 90 ? 0 : ones };
  return tens === 4 || tens === 10 ? { ground: ones } : {};
}

interface ExtendedColour {
  readonly colour: number | undefined;
  /** How many codes it takes. */
  readonly length: number;
}

/** One of 256 colours, or of all, as the nearest of the eight. */
function extendedColour(codes: readonly number[], from: number): ExtendedColour {
  const [kind, one = 0, two = 0, three = 0] = codes.slice(from, from + 4);
  if (kind === 5) return { colour: one < 16 ? one % 8 : nearest(cubeColour(one)), length: 2 };
  if (kind === 2) return { colour: nearest([one, two, three]), length: 4 };
  return { colour: undefined, length: 0 };
}

type Rgb = readonly [number, number, number];

function cubeColour(index: number): Rgb {
  if (index >= 232) return [0, 0, 0].map(() => 8 + (index - 232) * 10) as unknown as Rgb;
  const place = index - 16;
  return [Math.floor(place / 36), Math.floor(place / 6) % 6, place % 6].map(
    (part) => part * 51,
  ) as unknown as Rgb;
}

/** Tells which of red, green and blue are strong: their bits are the number of a colour. */
function nearest([red, green, blue]: Rgb): number {
  const most = Math.max(red, green, blue);
  if (most < 64) return 0;
  return [red, green, blue].reduce((sum, part, bit) => sum + (part > most * 0.66 ? 2 ** bit : 0), 0);
}
