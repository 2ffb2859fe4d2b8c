import { Readable } from 'node:stream';
import { setImmediate, setTimeout as pause } from 'node:timers/promises';
import { Allowance, OutputTail, readLines } from '@roadstead/kit';
import type { OnLine } from '../ports/builder.ts';

/**
 * The part of a build's output that is logged as it comes: more than anybody reads, and less than would hold anybody
 * up.
 */
const LIMITS = { max_lines: 20_000, max_bytes: 8_388_608 };
/** The most that is read at a time: output may consist of nothing but line ends. */
const PIECE_BYTES = 4096;
/** What is read in a second beyond the limits, of one command: it waits where it prints more. */
const LEFT_OUT_BYTES_PER_S = 67_108_864;
const WAIT_MS = 20;
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
    readLines(lines, { mask: this.#mask, onLine, limits: undefined });
    await ended;
    stream.destroy();
  }

  /** Yields the output a little at a time, so that others get their turn; beyond the limits only its end. */
  async *#pieces(stream: Readable): AsyncGenerator<Buffer> {
    const tail = new OutputTail();
    const allowance = new Allowance({ per_s: LEFT_OUT_BYTES_PER_S, most: LEFT_OUT_BYTES_PER_S });
    let last = 0;
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
        if (this.#lines <= 0 || this.#bytes <= 0) {
          tail.add(chunk.subarray(at));
          allowance.spend(chunk.length - at);
          while (allowance.left < 0) await pause(WAIT_MS);
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
