import { PassThrough, type Readable } from 'node:stream';
import type { Pod, PodStatus, StoredObject } from '../index.ts';

/** A pod as its node has it: what plays the node says what becomes of it. */
export interface FakePod {
  readonly pod: StoredObject<Pod>;
  /** Aborted once it is to end. */
  readonly stop: AbortSignal;
  /** Merges into its status. */
  report(status: PodStatus): void;
  /** Adds a line to its log. */
  print(line: string): void;
}

/** Lines that a container printed, for those who read them and those who follow. */
export class FakeLog {
  readonly #lines: { readonly at: number; readonly text: string }[] = [];
  readonly #followers = new Set<PassThrough>();
  #is_closed = false;

  print(text: string): void {
    this.#lines.push({ at: Date.now(), text });
    for (const follower of this.#followers) follower.write(`${text}\n`);
  }

  close(): void {
    this.#is_closed = true;
    for (const follower of this.#followers) follower.end();
  }

  read({
    follow,
    since,
    limit,
  }: {
    readonly follow: boolean;
    readonly since: number;
    readonly limit: number;
  }): Readable {
    const stream = new PassThrough();
    const text = this.#lines
      .filter(({ at }) => at >= since)
      .map((line) => `${line.text}\n`)
      .join('');
    stream.write(Buffer.from(text).subarray(0, limit));
    if (!follow || this.#is_closed) return stream.end();
    this.#followers.add(stream);
    return stream.on('close', () => this.#followers.delete(stream));
  }
}
