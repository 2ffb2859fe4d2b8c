/** Server-Sent Events as a response. */

export const HEARTBEAT_MS = 15_000;

export interface EventStreamOptions {
  /** Milliseconds of silence after which a comment keeps the connection open. */
  readonly heartbeat_ms: number;
  /** The comment, where clients want another than the usual one. */
  readonly heartbeat?: string;
  /** Beside those that make it a stream. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Called when the client has gone. */
  readonly onCancel: () => void;
}

/** An event as it goes out; a large one in pieces. */
export type EventFrame = string | readonly Buffer[];

/** One event; `data` has no line breaks. */
export function eventFrame(data: EventFrame, seq?: number | string): EventFrame {
  const before = `${seq === undefined ? '' : `id: ${seq}\n`}data: `;
  return typeof data === 'string' ? `${before}${data}\n\n` : [Buffer.from(before), ...data, END];
}
const END = Buffer.from('\n\n');

/**
 * Frames as they come, each asked for only once the client has room for it: a slow client makes nothing pile up here,
 * nor behind `frames`, which read what it missed from the database. What is wrong is a frame too; where `frames` throws
 * all the same the connection breaks off, which tells clients that can take a stream up again to come back.
 */
export function eventStream(frames: AsyncIterable<EventFrame>, options: EventStreamOptions): Response {
  const encoder = new TextEncoder();
  const heartbeat = encoder.encode(options.heartbeat ?? ': keep-alive\n\n');
  const iterator = frames[Symbol.asyncIterator]();
  let pending: Promise<IteratorResult<EventFrame>> | undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        pending ??= iterator.next();
        const next = await within(pending, options.heartbeat_ms);
        if (next === undefined) return controller.enqueue(heartbeat);
        pending = undefined;
        if (next.done === true) return controller.close();
        const pieces = typeof next.value === 'string' ? [encoder.encode(next.value)] : next.value;
        for (const piece of pieces) controller.enqueue(piece);
      },
      async cancel() {
        options.onCancel();
        await iterator.return?.(undefined);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      ...options.headers,
    },
  });
}

/** Whether a client accepts events; one without an Accept header accepts anything. */
export function takesEvents(accept: string | null): boolean {
  if (accept === null || accept.trim() === '') return true;
  return accept
    .split(',')
    .some((range) =>
      ['text/event-stream', 'text/*', '*/*'].includes(range.split(';', 1)[0]?.trim().toLowerCase() ?? ''),
    );
}

async function within<T>(work: Promise<T>, patience_ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, patience_ms, undefined);
  });
  try {
    return await Promise.race([work, silence]);
  } finally {
    clearTimeout(timer);
  }
}
