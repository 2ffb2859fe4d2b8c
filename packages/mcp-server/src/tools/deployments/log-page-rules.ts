import { cutText, written } from '../../paging/text-cut-rules.ts';

/** Fits lines of a log into an answer. */

export interface LogLine {
  readonly id: string;
  readonly timestamp: string;
  readonly level: string;
  readonly message: string;
}

/** The size of everything around the lines of an answer. */
const AROUND = 300;
const MESSAGE_CHARS = 2000;

export class LogPage {
  readonly lines: string[] = [];
  isFull = false;
  #room: number;

  constructor(max_chars: number) {
    this.#room = max_chars - AROUND;
  }

  /**
   * Adds as many as fit.
   * @returns the last line that fitted, where to continue; undefined where none was added
   */
  add(logs: readonly LogLine[]): string | undefined {
    let last: string | undefined;
    for (const log of logs) {
      let line = shownLine(log, MESSAGE_CHARS);
      if (sizeOf(line) > this.#room) {
        this.isFull = true;
        if (this.lines.length > 0) return last;
        // Alone on its page.
        for (let chars = MESSAGE_CHARS; sizeOf(line) > this.#room && chars > 0; chars = Math.floor(chars / 2))
          line = shownLine(log, chars);
      }
      this.lines.push(line);
      this.#room -= sizeOf(line);
      last = log.id;
      if (this.isFull) return last;
    }
    return last;
  }
}

const shownLine = ({ timestamp, level, message }: LogLine, chars: number) =>
  `${timestamp} ${level} ${String(written(cutText(message, chars)))}`;

const sizeOf = (line: string) => JSON.stringify(line).length + 1;
