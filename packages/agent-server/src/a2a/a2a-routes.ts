import { type A2aVersion, a2aEndpoints } from '@roadstead/contracts/agent-server';
import { DEFAULT_BODY_BYTES, type Handlers, HEARTBEAT_MS, readBytes } from '@roadstead/http';
import { HELD_BODY_BYTES, HeldBodies, Problem } from '@roadstead/kit';
import { callerOf } from '../access/access.ts';
import { A2aFault } from './rpc/a2a-fault.ts';
import type { A2aOptions } from './a2a-options.ts';
import type { AgentCards } from './cards/agent-cards.ts';
import { sendsA2ui } from './assistant-words.ts';
import type { Codec } from './codecs/codec.ts';
import { activated } from './extensions/extensions.ts';
import { headerScope } from './extensions/history-scope.ts';
import { methodNotFound, NO_ID, parseCall, type ParsedCall, type RpcCall } from './rpc/json-rpc.ts';
import type { MethodCall } from './methods/method-call.ts';
import { type Method, methods } from './methods/methods.ts';
import { optional, readObject } from './rpc/params-codec.ts';
import {
  acceptedResponse,
  type Caller,
  errorResponse,
  type OnBug,
  resultResponse,
  streamResponse,
} from './rpc-response.ts';
import { isSeen, ownerFor } from './task-access.ts';
import { v03Codec } from './codecs/v03-codec.ts';
import { v10Codec } from './codecs/v10-codec.ts';
import { familyOf, knownVersion, namedVersion, versionOf } from './rpc/version-rules.ts';

const codecs: Readonly<Record<A2aVersion, Codec>> = { '0.3': v03Codec, '1.0': v10Codec };
/** Bounds the bodies under way, per workspace, for all its deployments together. */
const bodies = new HeldBodies(HELD_BODY_BYTES);
const jsonType = /^\s*(?:application|text)\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;
const MAX_BODY_BYTES = a2aEndpoints.callA2a.max_body_bytes ?? DEFAULT_BODY_BYTES;

type A2aHandlers = Handlers<typeof a2aEndpoints>;
type A2aCall = Parameters<A2aHandlers['callA2a']>[0];

/** The handlers of A2A in the agent server's contract: both protocol versions at one address per assistant. */
export function createA2aHandlers(options: A2aOptions, cards: AgentCards): A2aHandlers {
  return {
    callA2a: async (call) => {
      if (options.disabled()) throw new Problem('not_found', 'A2A is disabled for this deployment.');
      return answer({ options, cards, call });
    },
  };
}

interface CallContext {
  readonly options: A2aOptions;
  readonly cards: AgentCards;
  readonly call: A2aCall;
}

async function answer(context: CallContext): Promise<Response> {
  const { options, call } = context;
  const { request } = call;
  const gone = new AbortController();
  const behind = new AbortController();
  const named = namedVersion(request);
  const parsed = await readCall(options, call);
  if (parsed.call === undefined) {
    const codec = codecs[knownVersion(named) ?? '0.3'];
    const onBug = bugReporter(options, call.signal);
    return errorResponse({ id: parsed.id, codec, streams: true, request }, parsed.fault, onBug);
  }
  const rpc = parsed.call;
  const family = familyOf(rpc.method);
  const streams = methods[family].get(rpc.method)?.streams ?? true;
  const caller: Caller = { id: rpc.id, codec: codecs[family], streams, request };
  // Only the reader of a stream is known to be gone by this signal.
  const signal = streams ? AbortSignal.any([call.signal, gone.signal]) : call.signal;
  const onBug = bugReporter(options, signal);
  try {
    const version = versionOf(named, rpc.method);
    const method = methods[version].get(rpc.method);
    if (method === undefined) throw methodNotFound();
    return await run(method, { ...context, rpc, caller, gone, behind, signal, onBug });
  } catch (error) {
    // A forbidden call gets its HTTP status, as an unauthenticated one does.
    if (error instanceof Problem && error.kind === 'forbidden') throw error;
    return errorResponse(caller, error, onBug);
  }
}

/** A body counts against its workspace until it is parsed; from then on the engine's admission counts it. */
async function readCall(
  { max_body_bytes }: A2aOptions,
  { request, workspace_id }: A2aCall,
): Promise<ParsedCall> {
  if (!isJson(request.headers.get('content-type'))) return { id: NO_ID, fault: notJson() };
  using held = bodies.open(workspace_id);
  return await parseCall(await readBytes(request, { max_bytes: max_body_bytes ?? MAX_BODY_BYTES, held }));
}

/** A body without a type is read as JSON. */
function isJson(type: string | null): boolean {
  return type === null || type === '' || jsonType.test(type);
}

const notJson = () =>
  new A2aFault('content_type_not_supported', 'The body must be JSON; send `Content-Type: application/json`.');

interface Run extends CallContext {
  readonly rpc: RpcCall;
  readonly caller: Caller;
  /** Aborted when the reader of a stream has gone. */
  readonly gone: AbortController;
  /** Aborted when the reader is too far behind. */
  readonly behind: AbortController;
  /** Aborted when the answer is no longer awaited. */
  readonly signal: AbortSignal;
  readonly onBug: OnBug;
}

async function run(method: Method, context: Run): Promise<Response> {
  const { options, rpc, caller, gone, behind, onBug } = context;
  const call = await methodCallOf(context);
  if (!method.streams) return withExtensions(await resultResponse(caller, await method.run(call)), call);
  const items = await method.run(call);
  if (rpc.id === undefined) return acceptedResponse();
  const heartbeat_ms = options.heartbeat_ms ?? HEARTBEAT_MS;
  const told = streamResponse(caller, items, { heartbeat_ms, gone, behind: behind.signal, onBug });
  return withExtensions(told, call);

  function withExtensions(response: Response, { a2ui }: MethodCall): Response {
    for (const [name, uris] of activated(caller.request.headers, { a2ui })) response.headers.set(name, uris);
    return response;
  }
}

async function methodCallOf({ options, cards, call, rpc, caller, signal, behind }: Run): Promise<MethodCall> {
  const { engine } = options;
  if (engine.assistants().length === 0) throw new Problem('unavailable', 'Nothing is deployed here yet.');
  const assistant = await engine.assistant(call.params.assistant_id);
  const by = callerOf(call.principal);
  if (assistant === undefined || !(await isSeen(options.access, { caller: by, assistant })))
    throw new A2aFault('invalid_params', 'There is no such assistant here.');
  return {
    engine,
    assistant,
    owner: await ownerFor(options.access, {
      caller: by,
      method: rpc.method,
      assistant_id: assistant.assistant_id,
    }),
    codec: caller.codec,
    params: rpc.params,
    a2ui: sendsA2ui(options, assistant),
    push: options.push,
    metadata: optional(readObject)(rpc.metadata, 'metadata') ?? {},
    notification: rpc.id === undefined,
    extendedCard: () => cards.extendedCard(assistant, caller.codec.version),
    last_event_id: lastEventId(call.request),
    header_scope: headerScope(call.request.headers),
    signal,
    onBehind: () => behind.abort(),
    origin: {
      traceparent: call.request.headers.get('traceparent') ?? undefined,
      configurable: options.configurable?.(call.request.headers) ?? {},
    },
  };
}

/** An id that is no number belongs to another server's stream. */
function lastEventId(request: Request): number | undefined {
  const id = request.headers.get('last-event-id')?.trim() ?? '';
  return /^\d{1,9}$/.test(id) ? Number(id) : undefined;
}

/** Errors are logged where they end; the caller gets the number under which the log has them. */
function bugReporter({ log }: A2aOptions, signal: AbortSignal): OnBug {
  return (error) => {
    const request_id = crypto.randomUUID();
    if (!signal.aborted) log?.error('A2A call failed', { request_id, error });
    return request_id;
  };
}
