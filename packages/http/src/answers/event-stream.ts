import { isLineSafe } from './line-safe-answer.ts';
import { lineSafePieces } from '@roadstead/json';
import { lineSafe, Problem } from '@roadstead/kit';

/** Server-Sent Events as a response. */

export const HEARTBEAT_MS = 15_000;

export interface EventStreamOptions {
  /** Milliseconds of silence after which a comment keeps the connection open. */
  readonly heartbeat_ms: number;
  /** The comment, for clients that expect another than the usual one. */
  readonly heartbeat?: string;
  /** Headers beside those that make it a stream. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Called when the client has gone: it must let the frame that was asked for come, or end. */
  readonly onCancel: () => void;
  /** Aborted when the reader falls too far behind: then `frames` end soon, or the connection is broken off. */
  readonly behind?: AbortSignal;
  /** How long a reader that has fallen behind may take before the end of `frames` is given up. */
  readonly last_words_ms?: number;
}

const LAST_WORDS_MS = 5000;

/** An event as it is sent; a large one in pieces. */
export type EventFrame = string | readonly Buffer[];

/** One event; `data` has no line breaks. */
export function eventFrame(data: EventFrame, seq?: number | string): EventFrame {
  const before = `${seq === undefined ? '' : `id: ${seq}\n`}data: `;
  return typeof data === 'string' ? `${before}${data}\n\n` : [Buffer.from(before), ...data, END];
}
const END = Buffer.from('\n\n');

/**
 * Writes frames as they come, those that are there already in one piece. Until the client has room, one more frame is
 * asked for at most: a slow client makes nothing pile up here, nor behind `frames`, which read from the database what
 * it missed. An error is normally a frame too. If `frames` throws, the connection breaks off after a comment that names the reason, so that clients that can
 * resume a stream come back.
 */
export function eventStream(frames: AsyncIterable<EventFrame>, options: EventStreamOptions): Response {
  const iterator = frames[Symbol.asyncIterator]();
  const bytes = bytesOf(iterator, options);
  let patience: NodeJS.Timeout | undefined;
  const leave = async () => {
    options.onCancel();
    await Promise.all([iterator.return?.(undefined), bytes.return(undefined)]);
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const breakOff = () => {
          controller.error(new Problem('unavailable', 'The reader of a stream was too far behind.'));
          leave().catch(() => undefined);
        };
        const onBehind = () => {
          patience = setTimeout(breakOff, options.last_words_ms ?? LAST_WORDS_MS);
        };
        options.behind?.addEventListener('abort', onBehind, { once: true });
      },
      async pull(controller) {
        try {
          const { done, value } = await bytes.next();
          if (done !== true) return controller.enqueue(value);
          controller.close();
        } catch (error) {
          controller.error(error);
        }
        clearTimeout(patience);
      },
      async cancel() {
        clearTimeout(patience);
        await leave();
      },
    },
    { highWaterMark: 0 },
  );
  const headers = {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    ...options.headers,
  };
  return isLineSafe(new Response(body, { headers }));
}

const encoder = new TextEncoder();
/** The length of a piece to which no further frame is added. */
const MAX_PIECE_LENGTH = 65_536;

async function* bytesOf(
  frames: AsyncIterator<EventFrame>,
  { heartbeat = ': keep-alive\n\n', heartbeat_ms }: EventStreamOptions,
): AsyncGenerator<Uint8Array> {
  let pending: Promise<IteratorResult<EventFrame>> | undefined;
  using patience = new Patience(heartbeat_ms);
  try {
    for (;;) {
      pending ??= frames.next();
      const next = await patience.with(pending);
      if (next?.done === true) return;
      if (next !== undefined) pending = undefined;
      const frame = next?.value ?? heartbeat;
      if (typeof frame !== 'string') {
        yield* lineSafePieces(frame);
        continue;
      }
      const ready = [frame];
      for (let length = frame.length; length < MAX_PIECE_LENGTH;) {
        pending ??= frames.next();
        const { value, done } = (await atOnce(pending)) ?? {};
        if (done === true || typeof value !== 'string') break;
        ready.push(value);
        length += value.length;
        pending = undefined;
      }
      yield encoder.encode(lineSafe(ready.join('')));
    }
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    yield encoder.encode(lineSafe(`: ${error.sentence.replaceAll(/\s+/g, ' ')}\n`));
    // The comment is sent before the connection ends.
    await new Promise((resolve) => setImmediate(resolve));
    throw error;
  }
}

/**
 * Resolves with the value of a promise that settles without input or output; else with undefined. A failure is left to the
 * next who waits.
 */
function atOnce<T>(work: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve) => {
    work.then(resolve, () => resolve(undefined));
    // Ticks come once all promises that can go on have done so.
    process.nextTick(resolve);
  });
}

/**
 * Whether a client prefers events to JSON, by its `Accept`: the greater weight counts, and among equals the type
 * named first. A client that accepts anything, or sends no header, gets JSON.
 */
export function prefersEvents(accept: string | null): boolean {
  const ranges = (accept ?? '').split(',').map(rangeOf);
  const [events, json] = [weightOf('text/event-stream', ranges), weightOf('application/json', ranges)];
  return events.q > json.q || (events.q > 0 && events.q === json.q && events.at < json.at);
}

interface MediaRange {
  readonly type: string;
  readonly q: number;
}

function rangeOf(text: string): MediaRange {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const [, q = '1'] = /^q\s*=\s*(.*)$/.exec(parameters.find((one) => /^q\s*=/.test(one)) ?? '') ?? [];
  return { type, q: Number(q) >= 0 ? Math.min(Number(q), 1) : 0 };
}

/** The weight of a type, taken from the narrowest range that holds it. */
function weightOf(type: string, ranges: readonly MediaRange[]): { readonly q: number; readonly at: number } {
  for (const name of [type, type.replace(/\/.*/, '/*'), '*/*']) {
    const at = ranges.findIndex((range) => range.type === name);
    const q = ranges[at]?.q;
    if (q !== undefined) return { q, at };
  }
  return { q: 0, at: ranges.length };
}

/**
 * Waits for one thing after another, for a limited time each. All waits share one timer: most are short, and a timer
 * for each would cost more than the waiting.
 */
class Patience implements Disposable {
  readonly #ms: number;
  #timer: NodeJS.Timeout;
  #since = performance.now();
  #giveUp: (() => void) | undefined;

  constructor(ms: number) {
    this.#ms = ms;
    this.#timer = this.#look(ms);
  }

  /** Undefined where it did not settle in time. */
  with<T>(work: Promise<T>): Promise<T | undefined> {
    this.#since = performance.now();
    return new Promise((resolve, reject) => {
      this.#giveUp = () => resolve(undefined);
      work.then(resolve, reject);
    });
  }

  #look(after_ms: number): NodeJS.Timeout {
    return setTimeout(() => {
      const left_ms = this.#since + this.#ms - performance.now();
      if (left_ms <= 0) this.#giveUp?.();
      this.#timer = this.#look(left_ms > 0 ? left_ms : this.#ms);
    }, after_ms);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}
