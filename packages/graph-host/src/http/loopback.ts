import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { openConnection } from '../channel/connections.ts';
import { fieldsOf } from './fields.ts';

/**
 * How the project's code calls its own deployment: clients of the LangGraph SDK that were given no address take `fetch`
 * from here, as they do in the original. Nothing is opened before the first call.
 */
export function provideLoopback(): void {
  Object.assign(globalThis, { [Symbol.for('langgraph_api:fetch')]: loopbackFetch });
}

let session: Promise<ClientHttp2Session> | undefined;

async function openSession(): Promise<ClientHttp2Session> {
  const { connect } = await import('node:http2');
  const socket = openConnection('loopback');
  socket.on('error', () => undefined);
  const opened = connect('http://deployment', { createConnection: () => socket, maxSessionMemory: 256 });
  opened.on('error', () => undefined);
  opened.once('close', () => (session = undefined));
  // A call under way is held by who awaits it, and the channel by the engine.
  opened.unref();
  return opened;
}

async function loopbackFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const request = new Request(toAbsolute(input), init);
  const { pathname, search } = new URL(request.url);
  const { signal } = request;
  signal.throwIfAborted();
  const opened = await (session ??= openSession());
  const stream = opened.request(
    { ...Object.fromEntries(request.headers), ':method': request.method, ':path': pathname + search },
    { endStream: request.body === null },
  );
  const abort = () => stream.close(8 /* CANCEL */);
  signal.addEventListener('abort', abort, { once: true });
  stream.once('close', () => signal.removeEventListener('abort', abort));
  if (request.body !== null) pipeline(Readable.fromWeb(request.body as never), stream).catch(() => undefined);
  return await responseOf(stream, signal);
}

/** Paths alone are fine, too. */
const toAbsolute = (input: string | URL | Request) =>
  typeof input === 'string' && input.startsWith('/') ? new URL(input, 'http://deployment') : input;

function responseOf(stream: ClientHttp2Stream, signal: AbortSignal): Promise<Response> {
  return new Promise((resolve, reject) => {
    const failed = (cause?: unknown) =>
      reject(
        signal.aborted
          ? (signal.reason as Error)
          : new TypeError('The deployment did not answer.', { cause }),
      );
    stream.once('error', failed);
    stream.once('close', failed);
    stream.once('response', (headers) => {
      const status = Number(headers[':status']);
      const hasBody = status !== 204 && status !== 304;
      if (!hasBody) stream.resume();
      resolve(
        new Response(hasBody ? (Readable.toWeb(stream) as ReadableStream<Uint8Array>) : null, {
          status,
          headers: fieldsOf(headers),
        }),
      );
    });
  });
}
