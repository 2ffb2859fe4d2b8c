import { problemOf } from '@roadstead/kit';
import type { GuardedFetch } from '@roadstead/outbound';
import { readEvents } from './event-reader.ts';
import { modelCodecs } from './model-codecs.ts';
import type { ModelCall, ModelCodec, ModelEvent, ModelFailure, OpenProvider } from './model-call.ts';
import { errorIn, failureOf, withoutKey } from './provider-failure-rules.ts';

/** Calls models of users' providers, at addresses that users gave. */

export interface ModelLimits {
  /** The silence after which a call is given up. */
  readonly silence_ms: number;
  /** The limit for a whole call. */
  readonly call_ms: number;
  /** The limit for the list of models. */
  readonly list_ms: number;
}

export const modelLimits: ModelLimits = { silence_ms: 120_000, call_ms: 600_000, list_ms: 15_000 };

export interface ModelClient {
  /** What the model says; a failure is the last event. Throws only the signal's reason. */
  call(provider: OpenProvider, call: ModelCall, signal: AbortSignal): AsyncGenerator<ModelEvent>;
  /** The models that the provider names, or why it named none. */
  listModels(provider: OpenProvider, signal: AbortSignal): Promise<readonly string[] | ModelFailure>;
}

/** @param fetch one that streams answers */
export function createModelClient(fetch: GuardedFetch, limits: ModelLimits = modelLimits): ModelClient {
  return {
    call: async function* (provider, call, signal) {
      yield* guarded(provider, { signal, limit_ms: limits.call_ms, limits }, (line) =>
        answered({ fetch, provider, call, line }),
      );
    },
    async listModels(provider, signal) {
      const codec = modelCodecs[provider.kind];
      const asked = { signal, limit_ms: limits.list_ms, limits };
      const names: string[] = [];
      const events = guarded(provider, asked, async function* (line) {
        const answer = await fetch(requestTo(provider, { path: codec.models_path, signal: line.signal }));
        const text = await textOf(answer, line);
        if (!answer.ok)
          yield { type: 'error', ...failureOf({ status: answer.status, body: text }, provider.api_key) };
        else names.push(...codec.modelsIn(JSON.parse(text)));
      });
      for await (const event of events) if (event.type === 'error') return event;
      return names;
    },
  };
}

/** A connection that is given up after silence, after a time, or because nobody listens any more. */
interface Line {
  readonly signal: AbortSignal;
  /** The bytes of an answer as they come. */
  read(answer: Response): AsyncGenerator<Uint8Array>;
}

interface Patience {
  readonly signal: AbortSignal;
  readonly limit_ms: number;
  readonly limits: ModelLimits;
}

/** Events of a call, of which the failures are events too. */
async function* guarded(
  { api_key }: OpenProvider,
  { signal, limit_ms, limits }: Patience,
  work: (line: Line) => AsyncGenerator<ModelEvent>,
): AsyncGenerator<ModelEvent> {
  signal.throwIfAborted();
  const end = new AbortController();
  let why: string | undefined;
  const giveUp = (sentence: string) => {
    why ??= sentence;
    end.abort(new Error(sentence));
  };
  const leave = () => end.abort(signal.reason);
  signal.addEventListener('abort', leave, { once: true });
  const silence_s = Math.ceil(limits.silence_ms / 1000);
  const silence = setTimeout(giveUp, limits.silence_ms, `The provider said nothing for ${silence_s} s.`);
  const late = setTimeout(
    giveUp,
    limit_ms,
    `The provider did not end within ${Math.ceil(limit_ms / 1000)} s.`,
  );
  const line: Line = {
    signal: end.signal,
    read: (answer) => readBody(answer, end.signal, () => silence.refresh()),
  };
  try {
    yield* work(line);
  } catch (error) {
    signal.throwIfAborted();
    const sentence = why ?? problemOf(error)?.sentence ?? 'The provider answers what its API does not have.';
    const may_pass = why !== undefined || problemOf(error)?.kind === 'unavailable';
    yield { type: 'error', status: null, message: withoutKey(sentence, api_key), may_pass };
  } finally {
    signal.removeEventListener('abort', leave);
    clearTimeout(silence);
    clearTimeout(late);
    // Whatever is left of the answer is not wanted.
    end.abort();
  }
}

async function* readBody(
  { body }: Response,
  signal: AbortSignal,
  onBytes: () => void,
): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  const reader = body.getReader();
  const leave = () => void reader.cancel().catch(() => undefined);
  signal.addEventListener('abort', leave, { once: true });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) return;
      onBytes();
      yield value;
    }
  } finally {
    signal.removeEventListener('abort', leave);
    leave();
  }
}

interface ProviderCall {
  readonly fetch: GuardedFetch;
  readonly provider: OpenProvider;
  readonly call: ModelCall;
  readonly line: Line;
}

async function* answered({ fetch, provider, call, line }: ProviderCall): AsyncGenerator<ModelEvent> {
  const codec = modelCodecs[provider.kind];
  const { path, body } = codec.request(call, provider);
  const answer = await fetch(requestTo(provider, { path, body, signal: line.signal }));
  if (!answer.ok) {
    yield {
      type: 'error',
      ...failureOf({ status: answer.status, body: await textOf(answer, line) }, provider.api_key),
    };
    return;
  }
  // A server that cannot stream answers as a whole.
  if (answer.headers.get('content-type')?.startsWith('text/event-stream') === true)
    yield* streamed(codec, readEvents(line.read(answer)), provider.api_key);
  else yield* whole(codec, JSON.parse(await textOf(answer, line)), provider.api_key);
}

async function* streamed(
  codec: ModelCodec,
  events: AsyncIterable<string>,
  api_key: string | null,
): AsyncGenerator<ModelEvent> {
  let [calls, isEnded] = [0, false];
  for await (const data of events) {
    if (data === '[DONE]') {
      isEnded = true;
      break;
    }
    const event: unknown = JSON.parse(data);
    const failure = errorIn(event, api_key);
    if (failure !== undefined) {
      yield { type: 'error', ...failure };
      return;
    }
    for (const one of codec.eventsOf(event, calls)) {
      if (one.type === 'tool_call') calls = Math.max(calls, one.index + 1);
      isEnded ||= one.type === 'finish';
      yield one;
    }
  }
  if (!isEnded) yield brokenOff;
}

const brokenOff: ModelEvent = {
  type: 'error',
  status: null,
  message: 'The answer of the provider broke off before its end.',
  may_pass: true,
};

function* whole(codec: ModelCodec, answer: unknown, api_key: string | null): Generator<ModelEvent> {
  const failure = errorIn(answer, api_key);
  const events = codec.answerOf(answer);
  if (failure !== undefined) yield { type: 'error', ...failure };
  else if (events.length === 0)
    yield {
      type: 'error',
      status: null,
      message: 'The provider answers what its API does not have.',
      may_pass: false,
    };
  else yield* events;
}

interface ProviderQuestion {
  readonly path: string;
  readonly body?: object;
  readonly signal: AbortSignal;
}

/** A redirect is refused, since the key would go along. */
function requestTo(
  { kind, base_url, api_key }: OpenProvider,
  { path, body, signal }: ProviderQuestion,
): Request {
  return new Request(base_url.replace(/\/+$/, '') + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      ...modelCodecs[kind].headers(api_key),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    redirect: 'error',
    signal,
  });
}

async function textOf(answer: Response, line: Line): Promise<string> {
  return Buffer.concat(await Array.fromAsync(line.read(answer))).toString();
}
