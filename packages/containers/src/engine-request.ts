import { type IncomingMessage, request, type RequestOptions } from 'node:http';
import type { Duplex } from 'node:stream';
import { Problem } from '@roadstead/kit';

/** The oldest version of the API that both engines speak: Docker from 20.10 on, Podman from 4.0 on. */
const VERSION = 'v1.41';
/** For answers that come at once. */
const LIMIT_MS = 30_000;
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

export interface EngineRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Below the version, such as `/containers/json`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
  /** Whether the answer comes when something happens: only its signal ends such a request. */
  readonly waits?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request that the engine understood and did not do. */
export class EngineRefusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * Asks an engine, and reads its whole answer; undefined where that is empty.
 * @throws EngineRefusal in the engine's own words; Problem `unavailable` where it does not answer, or not to the end
 */
export async function askEngine(socket: string, asked: EngineRequest): Promise<unknown> {
  asked.signal?.throwIfAborted();
  const limits = asked.waits === true ? [] : [AbortSignal.timeout(LIMIT_MS)];
  const given = asked.signal === undefined ? [] : [asked.signal];
  const signal = AbortSignal.any([...given, ...limits]);
  try {
    const answer = await answerTo(socket, asked, signal);
    const text = await textOf(answer);
    if (isRefusal(answer)) throw refusalOf(answer, text);
    return text === '' ? undefined : parsed(text);
  } catch (cause) {
    asked.signal?.throwIfAborted();
    throw cause instanceof EngineRefusal || cause instanceof Problem ? cause : awayOf(socket, cause);
  }
}

/**
 * Sends a request whose answer comes a line at a time, while something is done. Only its signal ends it.
 * @throws as `askEngine` does
 */
export async function* linesOf(socket: string, asked: EngineRequest): AsyncGenerator<string> {
  const { signal } = asked;
  signal?.throwIfAborted();
  try {
    const answer = await answerTo(socket, asked, signal);
    if (isRefusal(answer)) throw refusalOf(answer, await textOf(answer));
    let held = '';
    for await (const piece of answer.setEncoding('utf8')) {
      const lines = (held + String(piece)).split('\n');
      held = lines.pop() ?? '';
      yield* lines;
    }
    if (held !== '') yield held;
  } catch (cause) {
    signal?.throwIfAborted();
    throw cause instanceof EngineRefusal || cause instanceof Problem ? cause : awayOf(socket, cause);
  }
}

/**
 * Asks for a connection in place of an answer. The limit and the signal hold until it is there.
 * @throws as `askEngine` does
 */
export async function connectionOf(socket: string, asked: EngineRequest): Promise<Duplex> {
  asked.signal?.throwIfAborted();
  const late = AbortSignal.timeout(LIMIT_MS);
  const signal = asked.signal === undefined ? late : AbortSignal.any([asked.signal, late]);
  const sent = request(optionsOf(socket, asked, { connection: 'Upgrade', upgrade: 'tcp' }));
  const giveUp = () => void sent.destroy(signal.reason as Error);
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    return await new Promise<Duplex>((resolve, reject) => {
      sent.once('upgrade', (_answer, stream, head) => {
        if (head.length > 0) stream.unshift(head);
        resolve(stream);
      });
      sent.once('response', (answer) => {
        textOf(answer).then((text) => reject(refusalOf(answer, text)), reject);
      });
      sent.once('error', reject);
      sent.end();
    });
  } catch (cause) {
    sent.destroy();
    asked.signal?.throwIfAborted();
    throw cause instanceof EngineRefusal ? cause : awayOf(socket, cause);
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

// oxlint-disable-next-line roadstead/two-positional -- where, what, and until when
function answerTo(
  socket: string,
  asked: EngineRequest,
  signal: AbortSignal | undefined,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const ends = signal === undefined ? {} : { signal };
    const sent = request({ ...optionsOf(socket, asked), ...ends }, resolve);
    sent.once('error', reject);
    sent.end(asked.body === undefined ? undefined : JSON.stringify(asked.body));
  });
}

// oxlint-disable-next-line roadstead/two-positional -- where, what, and how
function optionsOf(
  socketPath: string,
  { method, path, query, body, headers: given }: EngineRequest,
  headers: Readonly<Record<string, string>> = {},
): RequestOptions {
  const search = query === undefined ? '' : `?${new URLSearchParams(query).toString()}`;
  return {
    socketPath,
    method,
    path: `/${VERSION}${path}${search}`,
    headers: {
      host: 'engine',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...given,
      ...headers,
    },
    agent: false,
  };
}

const isRefusal = ({ statusCode = 0 }: IncomingMessage) => statusCode < 200 || statusCode >= 400;

function refusalOf({ statusCode = 500 }: IncomingMessage, text: string): EngineRefusal {
  const said = parsed(text);
  const isObject = typeof said === 'object' && said !== null && 'message' in said;
  return new EngineRefusal(statusCode, (isObject ? String(said.message) : text).trim());
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const pieces: string[] = [];
  let length = 0;
  for await (const piece of answer.setEncoding('utf8')) {
    length += String(piece).length;
    if (length > MAX_ANSWER_BYTES)
      throw new Problem('unavailable', 'The container engine answers with more than can be taken.');
    pieces.push(String(piece));
  }
  return pieces.join('');
}

/** JSON where it is JSON, else the text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function awayOf(socket: string, cause: unknown): Problem {
  const { code, name } = cause as NodeJS.ErrnoException;
  return new Problem(
    'unavailable',
    `The container engine at ${socket} does not answer (${typeof code === 'string' ? code : name}).`,
    {
      cause,
      code: 'engine_away',
      hint: 'Start it, or name the socket of another one in ROADSTEAD_ENGINE.',
    },
  );
}
