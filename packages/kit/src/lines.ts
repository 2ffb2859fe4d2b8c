import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { TimeSlice } from './time-slice.ts';

export interface LineReaderOptions {
  /** Called with each line without its end; with only the beginning of one longer than `MAX_LINE`. */
  readonly onLine: (line: string) => void;
  /** Hides secrets, before a long line is cut, so that no half of a secret remains. */
  readonly mask?: (text: string) => string;
}

/** Characters of a line that are passed on. */
export const MAX_LINE = 65_536;
/** Characters read beyond `MAX_LINE` before a line is cut: a secret that begins before the cut ends within them. */
const OVERLAP = 16_384;
const CUT = ' … (a longer line)';
/** The most read at a time: it may consist of nothing but line ends. */
const PIECE_BYTES = 1024;

/** Cuts a complete line to the length that a log takes. */
export function cutLine(line: string): string {
  return line.length <= MAX_LINE ? line : `${line.slice(0, MAX_LINE).toWellFormed()}${CUT}`;
}

/**
 * Reads the output of a program line by line and holds little of it: the text after a cut is dropped up to the end
 * of the line. Programs that print much take turns of a few milliseconds; what they print meanwhile waits in their
 * pipes.
 */
export function readLines(input: Readable, { onLine, mask = (text) => text }: LineReaderOptions): void {
  const decoder = new StringDecoder('utf8');
  let held = '';
  let cut = false;
  let returned = false;

  const emit = (end: number) => {
    const masked = mask(held);
    // A secret of which only the beginning has come is in the last piece read.
    const shown = masked.slice(0, Math.max(0, Math.min(MAX_LINE, masked.length - end)));
    onLine(shown.length === masked.length ? shown : `${shown.toWellFormed()}${CUT}`);
    held = '';
  };
  const take = (piece: string) => {
    if (cut) return;
    held += piece;
    if (held.length <= MAX_LINE + OVERLAP) return;
    emit(OVERLAP);
    cut = true;
  };
  const endLine = () => {
    if (!cut) emit(0);
    cut = false;
  };
  const read = (text: string) => {
    if (text === '') return;
    const pieces = (returned && text.startsWith('\n') ? text.slice(1) : text).split(/\r\n|\n|\r/);
    returned = text.endsWith('\r');
    for (const piece of pieces.slice(0, -1)) {
      take(piece);
      endLine();
    }
    take(pieces.at(-1) ?? '');
  };

  let isReading = false;
  const readAll = async () => {
    if (isReading) return;
    isReading = true;
    const slice = new TimeSlice();
    if (input.readableLength > PIECE_BYTES) await slice.next();
    for (let bytes = readPiece(input); bytes !== null; bytes = readPiece(input)) {
      read(decoder.write(bytes));
      if (slice.isOver()) await slice.next();
    }
    isReading = false;
  };

  // Pulled, not pushed: the end of the input comes only once all of it is read.
  input.on('readable', () => void readAll());
  input.on('end', () => {
    read(decoder.end());
    if (held !== '') endLine();
  });
  // The caller learns of the program's end by other means.
  input.on('error', () => undefined);
}

const readPiece = (input: Readable) =>
  input.read(Math.min(PIECE_BYTES, input.readableLength)) as Buffer | null;
