import { StringDecoder } from 'node:string_decoder';

/** Characters of a line that are passed on. */
export const MAX_LINE = 65_536;
/** Characters read beyond `MAX_LINE` before a line is cut: a secret that begins before the cut ends within them. */
const OVERLAP = 16_384;
const CUT = ' … (a longer line)';

/** Cuts a complete line to the length that a log takes. */
export function cutLine(line: string): string {
  return line.length <= MAX_LINE ? line : `${line.slice(0, MAX_LINE).toWellFormed()}${CUT}`;
}

interface SplitterOptions {
  readonly onLine: (line: string) => void;
  readonly mask: (text: string) => string;
}

/** Bytes as lines. It holds little: the text after a cut is dropped up to the end of the line. */
export class LineSplitter {
  readonly #options: SplitterOptions;
  #decoder = new StringDecoder('utf8');
  #held = '';
  #cut = false;
  #returned = false;

  constructor(options: SplitterOptions) {
    this.#options = options;
  }

  write(bytes: Buffer): void {
    this.#read(this.#decoder.write(bytes));
  }

  end(): void {
    this.#read(this.#decoder.end());
    if (this.#held !== '') this.#endLine();
  }

  /** Forgets the line that has begun. @returns whether there is one */
  dropLine(): boolean {
    const is_begun = this.#held !== '' || this.#cut || this.#decoder.end() !== '';
    this.#decoder = new StringDecoder('utf8');
    this.#held = '';
    this.#cut = false;
    this.#returned = false;
    return is_begun;
  }

  #read(text: string): void {
    if (text === '') return;
    const pieces = (this.#returned && text.startsWith('\n') ? text.slice(1) : text).split(/\r\n|\n|\r/);
    this.#returned = text.endsWith('\r');
    for (const piece of pieces.slice(0, -1)) {
      this.#take(piece);
      this.#endLine();
    }
    this.#take(pieces.at(-1) ?? '');
  }

  #take(piece: string): void {
    if (this.#cut) return;
    this.#held += piece;
    if (this.#held.length <= MAX_LINE + OVERLAP) return;
    this.#emit(OVERLAP);
    this.#cut = true;
  }

  #endLine(): void {
    if (!this.#cut) this.#emit(0);
    this.#cut = false;
  }

  #emit(end: number): void {
    const masked = this.#options.mask(this.#held);
    // A secret of which only the beginning has come is in the last piece read.
    const shown = masked.slice(0, Math.max(0, Math.min(MAX_LINE, masked.length - end)));
    this.#options.onLine(shown.length === masked.length ? shown : `${shown.toWellFormed()}${CUT}`);
    this.#held = '';
  }
}
