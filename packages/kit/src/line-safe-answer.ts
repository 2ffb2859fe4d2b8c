import { LineSafeBytes } from './line-safe-rules.ts';
import { TextResponse } from './text-response.ts';

/** JSON, lines of it, or events that carry it. */
const JSON_OR_EVENTS =
  /^(?:application\/(?:[\w.+-]*\+)?(?:json|jsonl|x-ndjson)|text\/event-stream)\s*(?:;|$)/i;

const safeAlready = new WeakSet<Response>();

/** Notes that who made the answer wrote it so; each piece that is looked at again has its price. */
export function isLineSafe(response: Response): Response {
  safeAlready.add(response);
  return response;
}

/** An answer of ours as it goes out. What says its length is a file, which is sent as it came. */
export function lineSafeAnswer(response: Response): Response {
  if (TextResponse.writtenBy(response) !== undefined || safeAlready.has(response)) return response;
  const { body, headers, status } = response;
  const isFile = headers.has('content-length') || headers.has('content-encoding');
  if (body === null || isFile || !JSON_OR_EVENTS.test(headers.get('content-type') ?? '')) return response;
  return new Response(lineSafeStream(body), { status, headers });
}

function lineSafeStream(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const safe = new LineSafeBytes();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          const { done, value } = await reader.read();
          const bytes = done ? safe.end() : safe.next(value);
          if (bytes.length > 0) controller.enqueue(bytes);
          if (done) return controller.close();
          if (bytes.length > 0) return;
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
