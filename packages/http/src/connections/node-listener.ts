import type { IncomingMessage } from 'node:http';
import { getRequestListener, type HttpBindings, RequestError } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { toResponse } from '../answers/dialects.ts';
import type { NodeListener } from './http-server.ts';
import { type Log, Problem } from '@roadstead/kit';
import { TextResponse } from '../answers/text-response.ts';

export interface NodeListenerOptions {
  readonly log?: Pick<Log, 'debug'> | undefined;
  /** The source address of a request, where it isn't the other end of its connection. */
  readonly addressOf?: (incoming: IncomingMessage) => string | undefined;
}

/** Serves a web-standard handler by Node's HTTP server; the request's signal is aborted when the client goes away. */
export function toNodeListener(
  handle: (request: Request, address: string | undefined) => Promise<Response>,
  { log, addressOf = ({ socket }) => socket.remoteAddress }: NodeListenerOptions = {},
): NodeListener {
  const passOn = async (request: Request, { incoming, outgoing }: HttpBindings) => {
    const response = await handle(request, addressOf(incoming));
    const text = TextResponse.writtenBy(response);
    if (text !== undefined) return write(response, { text, outgoing });
    const onBroken = (error: unknown) => log?.debug('an answer broke off', { url: incoming.url, error });
    return breakingOff(response, { outgoing, onBroken });
  };
  const listener = getRequestListener(passOn as Parameters<typeof getRequestListener>[0], {
    overrideGlobalObjects: false,
    errorHandler: (error) =>
      toResponse(
        error instanceof RequestError
          ? new Problem('invalid', 'The Host header or the address of the request is not valid.')
          : new Problem('internal', 'Something went wrong here.'),
        'detail',
      ),
  });
  return (request, response) => void listener(request, response);
}

/** Writes the response, and signals the library that nothing is left to do. */
function write(
  { status, headers }: Response,
  { text, outgoing }: { readonly text: string; readonly outgoing: HttpBindings['outgoing'] },
): Response {
  const bytes = Buffer.from(text);
  const pairs = [...ofAnswer(headers), ['content-length', String(bytes.length)]].flat();
  outgoing.writeHead(status, pairs).end(bytes);
  return RESPONSE_ALREADY_SENT;
}

/**
 * The part of a response that the library reads, with a body whose failure breaks off the connection even while its
 * reader has no room. The library itself would write the error into the answer, and print it.
 */
function breakingOff(
  { status, headers, body }: Response,
  {
    outgoing,
    onBroken,
  }: { readonly outgoing: HttpBindings['outgoing']; readonly onBroken: (error: unknown) => void },
): Pick<Response, 'status' | 'headers'> & { readonly body: object | null } {
  const of_answer = ofAnswer(headers);
  if (body === null) return { status, headers: of_answer, body };
  const getReader = () => {
    const reader = body.getReader();
    const closed = reader.closed.catch((error: unknown) => {
      // Nothing is sent to a client that has gone.
      if (!outgoing.destroyed) onBroken(error);
      outgoing.on('error', () => undefined).destroy();
    });
    return {
      closed,
      read: () => reader.read().catch(async () => closed.then(() => ({ done: true }))),
      cancel: (reason: unknown) => reader.cancel(reason),
    };
  };
  return { status, headers: of_answer, body: { getReader } };
}

/**
 * Without what belongs to the connection: whether it is kept is for the server to say, which may be leaving. Libraries
 * of handlers say it of their streams.
 */
function ofAnswer(headers: Headers): Headers {
  if (!headers.has('connection')) return headers;
  const kept = new Headers(headers);
  kept.delete('connection');
  return kept;
}
