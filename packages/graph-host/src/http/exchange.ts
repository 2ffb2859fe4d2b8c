import { once } from 'node:events';
import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { Readable } from 'node:stream';
import { fieldsOf } from './fields.ts';

/** One exchange of HTTP/2, answered by a handler of web-standard requests; both bodies are streamed, no faster than they are read. */
export async function answerStream(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  {
    fetch,
    complain,
  }: {
    readonly fetch: (request: Request) => Promise<Response>;
    /** Told what the handler threw. */
    readonly complain: (what: string, thrown: unknown) => void;
  },
): Promise<void> {
  const gone = new AbortController();
  // Nobody reads the answer any more; that is no error of ours.
  stream.on('error', () => undefined);
  stream.once('close', () => gone.abort());
  const where = `http.app, ${headers[':method']} ${headers[':path']}`;
  try {
    const response = await fetch(requestOf(stream, headers, gone.signal));
    await send(stream, response);
  } catch (error) {
    if (gone.signal.aborted) return;
    complain(where, error);
    if (stream.headersSent) stream.close(2 /* INTERNAL_ERROR */);
    else {
      stream.respond({ ':status': 500, 'content-type': 'text/plain; charset=utf-8' });
      stream.end('Internal Server Error');
    }
  }
}

// oxlint-disable-next-line roadstead/two-positional -- a stream, its headers, its end
function requestOf(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, signal: AbortSignal): Request {
  const {
    ':method': method = 'GET',
    ':path': path = '/',
    ':authority': authority,
    ':scheme': scheme,
  } = headers;
  const hasBody = method !== 'GET' && method !== 'HEAD';
  return new Request(`${scheme ?? 'http'}://${authority ?? 'localhost'}${path}`, {
    method,
    headers: fieldsOf(headers),
    signal,
    ...(hasBody ? { body: Readable.toWeb(stream) as ReadableStream<Uint8Array>, duplex: 'half' } : {}),
  });
}

/** Headers that belong to one connection only, and that HTTP/2 refuses. */
const OF_CONNECTION = ['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade'];

async function send(stream: ServerHttp2Stream, { status, headers, body }: Response): Promise<void> {
  const fields: OutgoingHttpHeaders = { ':status': status };
  for (const [name, value] of headers)
    if (!OF_CONNECTION.includes(name)) {
      const before = fields[name];
      fields[name] = before === undefined ? value : [before, value].flat().map(String);
    }
  stream.respond(fields, { endStream: body === null });
  if (body === null) return;
  for await (const chunk of body) await write(stream, chunk);
  stream.end();
}

/** The bytes that are sent at a time: more than a connection's memory is refused. */
const PIECE = 65_536;

async function write(stream: ServerHttp2Stream, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.length; at += PIECE) {
    if (stream.destroyed) throw new Error('The reader is gone.');
    if (!stream.write(chunk.subarray(at, at + PIECE)))
      await Promise.race([once(stream, 'drain'), once(stream, 'close')]);
  }
}
