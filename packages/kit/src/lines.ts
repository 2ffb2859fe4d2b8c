import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { LeftOutOutput } from './left-out-output.ts';
import { LineSplitter } from './line-splitter.ts';
import { Allowance, linesIn, OUTPUT_LIMITS, type OutputLimits } from './output-limits.ts';
import { TimeSlice } from './time-slice.ts';

export interface LineReaderOptions {
  /** Called with each line without its end; with only the beginning of one longer than `MAX_LINE`. */
  readonly onLine: (line: string) => void;
  /** Hides secrets, before a long line is cut, so that no half of a secret remains. */
  readonly mask?: (text: string) => string;
  /** Undefined where the input has a bound of its own. */
  readonly limits?: OutputLimits | undefined;
}

/** The most read at a time: it may consist of nothing but line ends. */
const PIECE_BYTES = 1024;
/** The most that is read at a time of what is not passed on. */
const LEFT_OUT_BYTES = 65_536;
/** How long a program waits at a time that printed more than is read. */
const WAIT_MS = 20;
/** Output that paused so long has come to rest: its last lines are told. */
const REST_MS = 1000;
const UNBOUND: OutputLimits = {
  lines_per_s: 0,
  most_lines: Number.MAX_SAFE_INTEGER,
  bytes_per_s: Number.MAX_SAFE_INTEGER,
};

/**
 * Reads the output of a program line by line and holds little of it. Programs that print much take turns of a few
 * milliseconds; what they print meanwhile waits in their pipes. Of one that prints more than the limits, lines are left
 * out, and a line says how many.
 */
export function readLines(input: Readable, options: LineReaderOptions): void {
  const { onLine, mask = (text) => text } = options;
  const limits = 'limits' in options ? options.limits : OUTPUT_LIMITS;
  const reader = new OutputReader(limits ?? UNBOUND, { onLine, mask });
  let resting: NodeJS.Timeout | undefined;
  let isReading = false;
  const readAll = async () => {
    if (isReading) return;
    isReading = true;
    clearTimeout(resting);
    const slice = new TimeSlice();
    if (input.readableLength > PIECE_BYTES) await slice.next();
    while (reader.read(input)) {
      while (reader.isAhead) await pause(WAIT_MS);
      if (slice.isOver()) await slice.next();
    }
    isReading = false;
    if (reader.leavesOut) resting = setTimeout(() => reader.rest(), REST_MS).unref();
  };

  // Pulled, not pushed: the end of the input comes only once all of it is read.
  input.on('readable', () => void readAll());
  input.on('end', () => {
    clearTimeout(resting);
    reader.end();
  });
  input.on('close', () => clearTimeout(resting));
  // The caller learns of the program's end by other means.
  input.on('error', () => undefined);
}

/** Passes lines on as long as there is an allowance of them; then what comes is left out until there is one again. */
class OutputReader {
  readonly #limits: OutputLimits;
  readonly #onLine: (line: string) => void;
  readonly #splitter: LineSplitter;
  readonly #lines: Allowance;
  readonly #bytes: Allowance;
  #left_out: LeftOutOutput | undefined;

  constructor(limits: OutputLimits, { onLine, mask }: Required<Pick<LineReaderOptions, 'onLine' | 'mask'>>) {
    this.#limits = limits;
    this.#onLine = onLine;
    this.#lines = new Allowance({ per_s: limits.lines_per_s, most: limits.most_lines });
    this.#bytes = new Allowance({ per_s: limits.bytes_per_s, most: limits.bytes_per_s });
    this.#splitter = new LineSplitter({
      mask,
      onLine: (line) => {
        this.#lines.spend(linesIn(line));
        onLine(line);
      },
    });
  }

  get leavesOut(): boolean {
    return this.#left_out !== undefined;
  }

  /** Whether it has read more than it may for now. */
  get isAhead(): boolean {
    return this.#bytes.left < 0;
  }

  /** @returns whether there was anything to read */
  read(input: Readable): boolean {
    const isLeftOut = this.leavesOut && this.#lines.left < this.#limits.lines_per_s;
    const size = isLeftOut ? LEFT_OUT_BYTES : PIECE_BYTES;
    const bytes = input.read(Math.min(size, input.readableLength)) as Buffer | null;
    if (bytes === null) return false;
    this.#bytes.spend(bytes.length);
    if (isLeftOut) this.#left_out?.add(bytes);
    else this.#passOn(bytes);
    return true;
  }

  /** Tells the last lines of what is left out, since nothing follows for now. */
  rest(): void {
    if (this.#left_out === undefined) return;
    const end = this.#left_out.takeEnd();
    this.#goOn(this.#left_out);
    this.#splitter.write(end);
  }

  end(): void {
    this.rest();
    this.#splitter.end();
  }

  #passOn(bytes: Buffer): void {
    const left_out = this.#left_out;
    const passed_on = left_out === undefined ? bytes : left_out.addLine(bytes);
    if (passed_on === undefined) return;
    if (left_out !== undefined) this.#goOn(left_out);
    this.#splitter.write(passed_on);
    if (this.#lines.left < 0) this.#left_out = new LeftOutOutput({ is_begun: this.#splitter.dropLine() });
  }

  #goOn({ lines }: LeftOutOutput): void {
    this.#left_out = undefined;
    if (lines > 0)
      this.#onLine(
        `… ${lines} lines are left out here: no more than ${this.#limits.lines_per_s} a second are kept`,
      );
  }
}
