import { LineSafeBytes } from '@roadstead/json';
import { TimeSlice } from '@roadstead/kit';
import { TextResponse } from './text-response.ts';

/** Sends JSON, or events that carry it, with no line break within a value. */

/** JSON, lines of it, or events that carry it. */
const JSON_OR_EVENTS =
  /^(?:application\/(?:[\w.+-]*\+)?(?:json|jsonl|x-ndjson)|text\/event-stream)\s*(?:;|$)/i;

const safeAlready = new WeakSet<Response>();

/** Marks an answer whose author already wrote it line-safe; looking at each piece again has its price. */
export function isLineSafe(response: Response): Response {
  safeAlready.add(response);
  return response;
}

/** Makes an answer of ours line-safe. One with a content length is a file, which is sent unchanged. */
export function lineSafeAnswer(response: Response): Response {
  if (TextResponse.writtenBy(response) !== undefined || safeAlready.has(response)) return response;
  const { body, headers, status } = response;
  const isFile = headers.has('content-length') || headers.has('content-encoding');
  if (body === null || isFile || !JSON_OR_EVENTS.test(headers.get('content-type') ?? '')) return response;
  return new Response(lineSafeStream(body), { status, headers });
}

function lineSafeStream(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const parts = lineSafeParts(reader);
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await parts.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

async function* lineSafeParts(reader: ReadableStreamDefaultReader<Uint8Array>): AsyncGenerator<Uint8Array> {
  const safe = new LineSafeBytes();
  const slice = new TimeSlice();
  for (;;) {
    const { done, value } = await reader.read();
    for (const part of done ? safe.end() : safe.next(value)) {
      yield part;
      if (slice.isOver()) await slice.next();
    }
    if (done) return;
  }
}
