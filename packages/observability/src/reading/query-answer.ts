import { type Members, jsonAnswer, pageText } from './json-answer.ts';

/**
 * A page of v2: as JSON, or, where the client accepts them, as server-sent events that patch an empty document (RFC
 * 6902). A page is complete at once, so one patch holds it.
 */
export async function queryAnswer(
  request: Request,
  page: { readonly items: readonly Members[]; readonly next_cursor: string | null },
): Promise<Response> {
  const { items, next_cursor } = page;
  const text = pageText({ name: 'items', items }, { next_cursor, has_more: next_cursor !== null });
  if (!acceptsEvents(request)) return jsonAnswer(text);
  return jsonAnswer(eventsOf(text), 'text/event-stream');
}

/** A client that accepts both gets JSON. */
function acceptsEvents(request: Request): boolean {
  const accept = (request.headers.get('accept') ?? '').toLowerCase();
  return accept.includes('text/event-stream') && !accept.includes('json');
}

async function* eventsOf(document: AsyncIterable<string | Uint8Array>): AsyncGenerator<string | Uint8Array> {
  yield 'event: data\ndata: [{"op":"add","path":"","value":';
  for await (const piece of document) yield onOneLine(piece);
  yield '}]\n\nevent: end\ndata: {}\n\n';
}

/** Payloads are answered as they were sent; their line breaks lie between values, never inside one. */
function onOneLine(piece: string | Uint8Array): Uint8Array {
  const bytes = Buffer.from(piece);
  for (const line_break of ['\n', '\r'])
    for (let at = bytes.indexOf(line_break); at >= 0; at = bytes.indexOf(line_break, at + 1))
      bytes[at] = 0x20;
  return bytes;
}
