import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { readLines } from '@roadstead/kit';
import type { OnLine } from '../ports/builder.ts';

/**
 * The part of a build's output that is logged as it comes: more than anybody reads, and less than would hold anybody
 * up.
 */
const LIMITS = { max_lines: 20_000, max_bytes: 8_388_608 };
/** The size of the end that is kept of later output: the end is the most informative part. */
const TAIL_BYTES = 16_384;
/** The most that is read at a time: output may consist of nothing but line ends. */
const PIECE_BYTES = 4096;
const NEWLINE = 10;

export interface BuildOutputOptions {
  readonly onLine: OnLine;
  /** Hides secrets and paths of this machine. */
  readonly mask: (text: string) => string;
  readonly limits?: { readonly max_lines: number; readonly max_bytes: number };
}

/** The output of all commands of one build, with a limit on how much of it is processed. */
export class BuildOutput {
  readonly #onLine: OnLine;
  readonly #mask: (text: string) => string;
  #lines: number;
  #bytes: number;

  constructor({ onLine, mask, limits = LIMITS }: BuildOutputOptions) {
    this.#onLine = onLine;
    this.#mask = mask;
    this.#lines = limits.max_lines;
    this.#bytes = limits.max_bytes;
  }

  /** Reads the output of a command to its end, or until the signal; `take` gets each line as well. */
  async read(
    stream: Readable,
    { level, take, signal }: { level: 'INFO' | 'WARNING'; take: (line: string) => void; signal: AbortSignal },
  ): Promise<void> {
    const onLine = (line: string) => {
      this.#lines -= 1;
      take(line);
      this.#onLine(line, level);
    };
    const lines = Readable.from(this.#pieces(stream), { objectMode: false, highWaterMark: PIECE_BYTES });
    const ended = new Promise<void>((resolve) => {
      lines.once('close', resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    readLines(lines, { mask: this.#mask, onLine });
    await ended;
    stream.destroy();
  }

  /** Yields the output a little at a time, so that others get their turn; beyond the limits only its end. */
  async *#pieces(stream: Readable): AsyncGenerator<Buffer> {
    const tail = new Tail();
    let last = 0;
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
        if (this.#lines <= 0 || this.#bytes <= 0) {
          tail.add(chunk.subarray(at));
          break;
        }
        const piece = chunk.subarray(at, at + PIECE_BYTES);
        this.#bytes -= piece.length;
        last = piece.at(-1) ?? 0;
        yield piece;
        await setImmediate();
      }
    }
    const left_out = `${last === NEWLINE ? '' : '\n'}… ${tail.left_out} bytes of output are left out here\n`;
    if (tail.left_out > 0) yield Buffer.from(left_out);
    yield tail.lines();
  }
}

/** The last bytes of what was added. */
class Tail {
  #kept: readonly Buffer[] = [];
  left_out = 0;

  add(chunk: Buffer): void {
    const all = [...this.#kept, chunk];
    let excess = all.reduce((sum, { length }) => sum + length, 0) - TAIL_BYTES;
    this.left_out += Math.max(0, excess);
    this.#kept = all.flatMap((one) => {
      const kept = one.subarray(Math.max(0, Math.min(excess, one.length)));
      excess -= one.length;
      // A copy, which doesn't keep the whole chunk alive.
      return kept.length === 0 ? [] : [kept.length === one.length ? one : Buffer.from(kept)];
    });
  }

  /** Drops the first line, whose beginning is missing: a secret in it could not be recognised by its end alone. */
  lines(): Buffer {
    const all = Buffer.concat(this.#kept);
    return this.left_out === 0 ? all : all.subarray(all.indexOf('\n') + 1);
  }
}
