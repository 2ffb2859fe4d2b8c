import { PassThrough, type Readable } from 'node:stream';
import type { Pod, PodStatus, StoredObject } from '../index.ts';

/** A pod as its node has it: what plays the node says what becomes of it. */
export interface FakePod {
  readonly pod: StoredObject<Pod>;
  /** Aborted once its end is asked for. */
  readonly asked: AbortSignal;
  /** Aborted once the time that it has to end is over. */
  readonly stop: AbortSignal;
  /** Merges into its status. */
  report(status: PodStatus): void;
  /** Adds a line to its log. */
  print(line: string): void;
}

/** Lines that a container printed, for those who read them and those who follow. */
export class FakeLog {
  readonly #lines: FakeLine[] = [];
  readonly #followers = new Map<PassThrough, boolean>();
  #is_closed = false;

  print(text: string): void {
    const at = Date.now();
    // No two lines have the same time.
    const nanoseconds = String(this.#lines.length % 1_000_000).padStart(6, '0');
    const line = { at, time: new Date(at).toISOString().replace('Z', `${nanoseconds}Z`), text };
    this.#lines.push(line);
    for (const [follower, timestamps] of this.#followers) follower.write(textOf(line, timestamps));
  }

  close(): void {
    this.#is_closed = true;
    for (const follower of this.#followers.keys()) follower.end();
  }

  read({
    follow,
    since,
    limit,
    timestamps,
  }: {
    readonly follow: boolean;
    readonly since: number;
    readonly limit: number;
    readonly timestamps: boolean;
  }): Readable {
    const stream = new PassThrough();
    const text = this.#lines
      .filter(({ at }) => at >= since)
      .map((line) => textOf(line, timestamps))
      .join('');
    stream.write(Buffer.from(text).subarray(0, limit));
    if (!follow || this.#is_closed) return stream.end();
    this.#followers.set(stream, timestamps);
    return stream.on('close', () => this.#followers.delete(stream));
  }
}

interface FakeLine {
  readonly at: number;
  /** RFC 3339, with nanoseconds. */
  readonly time: string;
  readonly text: string;
}

const textOf = ({ time, text }: FakeLine, timestamps: boolean) =>
  timestamps ? `${time} ${text}\n` : `${text}\n`;
