import { OutputTail } from './output-tail.ts';

const NEWLINE = 10;

/** Output of a program that is read and not passed on. */
export class LeftOutOutput {
  readonly #tail = new OutputTail();
  readonly #is_begun: boolean;
  #lines = 0;

  /** @param options.is_begun whether it goes on with a line */
  constructor({ is_begun }: { readonly is_begun: boolean }) {
    this.#is_begun = is_begun;
  }

  /** The lines that ended in it. */
  get lines(): number {
    return this.#lines;
  }

  add(bytes: Buffer): void {
    this.#lines += linesOf(bytes);
    this.#tail.add(bytes);
  }

  /** Leaves out the rest of a line. @returns what follows it; undefined where it does not end here */
  addLine(bytes: Buffer): Buffer | undefined {
    const end = bytes.indexOf(NEWLINE) + 1;
    this.add(end === 0 ? bytes : bytes.subarray(0, end));
    return end === 0 ? undefined : bytes.subarray(end);
  }

  /** Takes the last lines back, with which the output comes to rest. */
  takeEnd(): Buffer {
    const end = this.#tail.lines({ is_begun: this.#is_begun });
    this.#lines -= linesOf(end);
    return end;
  }
}

function linesOf(bytes: Buffer): number {
  let lines = 0;
  for (const byte of bytes) if (byte === NEWLINE) lines += 1;
  return lines;
}
