import { readBytes } from '@roadstead/http';
import { parseJson } from '@roadstead/json';
import { Problem } from '@roadstead/kit';
import { acceptsStream, answersIn, BOTH_TYPES, JSON_TYPE, STREAM_TYPE } from './form-rules.ts';
import { withoutNulls } from './null-rules.ts';
import { isModern, paramsRefusal } from './params-rules.ts';

/** A request as the SDK gets it. */
export interface McpMessage {
  /** Accepts both forms; its body is read only where `body` is absent. */
  readonly request: Request;
  /** The message, or a batch of them; absent where the request holds no JSON, which the SDK refuses. */
  readonly body?: unknown;
}

interface AnswerOptions {
  readonly max_bytes: number;
  /** The most values that a body may hold, since it is parsed at once. */
  readonly max_values: number;
  readonly handle: (message: McpMessage) => Promise<Response>;
}

/**
 * Reads a request of MCP's Streamable HTTP once, and answers it in the form that its client accepts.
 * @throws Problem `too_large` for a body that is too long, too deep or has too many values
 */
export async function answerMcp(request: Request, { handle, ...limits }: AnswerOptions): Promise<Response> {
  const message = await read(request, limits);
  const refusal = paramsRefusal(message.body);
  if (refusal !== undefined) return Response.json(refusal, { status: isModern(message.body) ? 400 : 200 });
  const response = await handle(message);
  if (acceptsStream(request.headers.get('accept')) || isEndless(message.body)) return response;
  return asJson(response, Array.isArray(message.body));
}

async function read(request: Request, limits: Omit<AnswerOptions, 'handle'>): Promise<McpMessage> {
  const { method, url, signal } = request;
  const headers = new Headers(request.headers);
  if (method !== 'POST') return { request };
  headers.set('accept', BOTH_TYPES);
  const bytes = await readBytes(request, limits);
  try {
    const body = withoutNulls(await parseJson(bytes, limits));
    return { request: new Request(url, { method, headers, signal }), body };
  } catch (error) {
    if (!(error instanceof Problem) || error.kind !== 'malformed') throw error;
  }
  return { request: new Request(url, { method, headers, signal, body: new Uint8Array(bytes) }) };
}

/** Whether it is a subscription, which ends when its client goes. */
const isEndless = (body: unknown) =>
  (body as { readonly method?: unknown } | undefined)?.method === 'subscriptions/listen';

async function asJson(response: Response, isBatch: boolean): Promise<Response> {
  if (response.headers.get('content-type')?.startsWith(STREAM_TYPE) !== true) return response;
  const answers = answersIn(await response.text());
  const headers = new Headers(response.headers);
  headers.set('content-type', JSON_TYPE);
  return new Response(JSON.stringify(isBatch ? answers : answers[0]), { status: response.status, headers });
}
