import {
  type EventFrame,
  eventFrame,
  eventStream,
  jsonResponse,
  prefersEvents,
  statusOf,
} from '@roadstead/http';
import { problemOf } from '@roadstead/kit';
import type { JsonText } from '../json/json-text.ts';
import { A2aFault, faultOfProblem } from './rpc/a2a-fault.ts';
import type { Codec } from './codecs/codec.ts';
import { errorText, NO_ID, resultText, type RpcCall } from './rpc/json-rpc.ts';
import type { StreamItem } from './methods/method-call.ts';

/** The part of a call that its answer depends on. */
export interface Caller {
  /** Undefined for a notification, which gets no answer. */
  readonly id: RpcCall['id'];
  readonly codec: Codec;
  /** Whether the method streams, or may do so where it is unknown: then its client may read events. */
  readonly streams: boolean;
  readonly request: Request;
}

/** Called with errors that are our own fault. */
export type OnBug = (error: unknown) => string;

export async function resultResponse({ id }: Caller, result: object | null): Promise<Response> {
  return id === undefined ? acceptedResponse() : json(await resultText(id, result), 200);
}

/** The answer to a notification: it has arrived. */
export const acceptedResponse = () => new Response(null, { status: 202 });

/**
 * A JSON-RPC error has HTTP status 200; only what a proxy should know of, a busy or stopping server, has a status of
 * its own. A client that asked for a stream gets the error as an event or as JSON, whichever it prefers. A notification
 * gets no error.
 */
export function errorResponse(caller: Caller, error: unknown, onBug: OnBug): Response {
  const { id, codec } = caller;
  const fault = faultOf(error, onBug);
  const text = id === undefined ? null : errorText(id, codec.encodeFault(fault));
  const problem = problemOf(error);
  if (problem?.kind === 'unavailable' || problem?.kind === 'limit')
    return json(text, statusOf(problem), { 'retry-after': String(problem.retry_after_s ?? 2) });
  if (text === null) return acceptedResponse();
  if (caller.streams && prefersEvents(caller.request.headers.get('accept')))
    return new Response(eventFrame(text), {
      headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' },
    });
  return json(text, 200);
}

export interface StreamOptions {
  readonly heartbeat_ms: number;
  /** Aborted when the client goes away: the stream then waits for nothing. */
  readonly gone: AbortController;
  /** Aborted when the reader is too far behind. */
  readonly behind: AbortSignal;
  readonly onBug: OnBug;
}

export function streamResponse(
  caller: Caller,
  items: AsyncIterable<StreamItem>,
  { gone, onBug, ...options }: StreamOptions,
): Response {
  return eventStream(framesOf(caller, items, onBug), { ...options, onCancel: () => gone.abort() });
}

/** A stream that fails ends with an event that carries the error. */
async function* framesOf(
  { id = NO_ID, codec }: Caller,
  items: AsyncIterable<StreamItem>,
  onBug: OnBug,
): AsyncGenerator<EventFrame> {
  try {
    for await (const { seq, result } of items) yield eventFrame(await resultText(id, result), seq);
  } catch (error) {
    yield eventFrame(errorText(id, codec.encodeFault(faultOf(error, onBug))));
  }
}

function faultOf(error: unknown, onBug: OnBug): A2aFault {
  if (error instanceof A2aFault) return error;
  const problem = problemOf(error);
  if (problem !== undefined) return faultOfProblem(problem);
  return new A2aFault('internal', `Something went wrong here; the log has it under ${onBug(error)}.`);
}

function json(
  text: JsonText | null,
  status: number,
  headers: Readonly<Record<string, string>> = {},
): Response {
  if (text === null) return new Response(null, { status, headers });
  if (typeof text === 'string') return jsonResponse(text, { status, headers });
  return new Response(streamOf(text), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  });
}

/** Streams bytes that are in memory: a body made of them at once would copy them. */
function streamOf(pieces: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start: (controller) => {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
}
