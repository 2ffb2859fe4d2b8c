import {
  Agent as PlainAgent,
  type IncomingMessage,
  request as plainRequest,
  type RequestOptions,
} from 'node:http';
import { Agent, request } from 'node:https';
import { Problem } from '@roadstead/kit';
import { z } from 'zod';
import { type ClusterAccess, type Credential, CredentialKeeper } from './cluster-access.ts';
import { type ApiStatus, clusterAway, failureOf, KubernetesRefusal } from './refusal.ts';

/** For answers that come at once, to their last byte; for others, until they begin. */
const LIMIT_MS = 30_000;
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
/** Connections that rest longer are closed here, before the API server does so at 90 seconds. */
const REST_MS = 30_000;

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  readonly type?: 'application/json' | 'application/apply-patch+yaml' | 'application/merge-patch+json';
  readonly signal?: AbortSignal | undefined;
}

const Status = z.object({
  message: z.string().optional(),
  reason: z.string().optional(),
  code: z.number().optional(),
  details: z
    .object({
      causes: z
        .array(
          z.object({
            reason: z.string().optional(),
            message: z.string().optional(),
            field: z.string().optional(),
          }),
        )
        .nullish(),
      retryAfterSeconds: z.number().optional(),
    })
    .nullish(),
});

/** Requests to one API server, over connections that are kept. */
export class ApiConnection implements Disposable {
  readonly #access: ClusterAccess;
  readonly #credentials: CredentialKeeper;
  readonly #agent: Agent | PlainAgent;

  constructor(access: ClusterAccess) {
    this.#access = access;
    this.#credentials = new CredentialKeeper(access.readCredential);
    const options = { keepAlive: true, timeout: REST_MS };
    this.#agent = access.server.startsWith('https:') ? new Agent(options) : new PlainAgent(options);
  }

  get server(): string {
    return this.#access.server;
  }

  /**
   * Asks, and reads the whole answer, which is JSON.
   * @throws KubernetesRefusal; Problem `unavailable` (`cluster_away`) where the API server does not answer, can't just now, or not to
   * the end
   */
  async ask(asked: ApiRequest): Promise<unknown> {
    const late = AbortSignal.timeout(LIMIT_MS);
    const signal = asked.signal === undefined ? late : AbortSignal.any([asked.signal, late]);
    return await this.#translated(asked.signal, async () => {
      const text = await textOf(await this.#answerTo(asked, signal));
      const found = parsed(text);
      if (found === undefined)
        throw new Problem('unavailable', `${this.server} answers what no API server does.`);
      return found;
    });
  }

  /**
   * Opens an answer that goes on, such as a watch: only its signal ends it once it has begun.
   * @throws as `ask` does
   */
  async open(asked: ApiRequest): Promise<IncomingMessage> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new DOMException('too late', 'TimeoutError')), LIMIT_MS);
    const signal = asked.signal === undefined ? late.signal : AbortSignal.any([asked.signal, late.signal]);
    try {
      return await this.#translated(asked.signal, () => this.#answerTo(asked, signal));
    } finally {
      clearTimeout(timer);
    }
  }

  /** What a connection says that broke off while an answer was read. */
  awayFor(error: unknown): Problem | KubernetesRefusal {
    if (error instanceof Problem || error instanceof KubernetesRefusal) return error;
    const { code, name, message } = error as NodeJS.ErrnoException;
    // Errors of TLS carry certificates.
    const cause = new Error(message);
    return clusterAway(this.server, { said: typeof code === 'string' ? code : name, cause });
  }

  /** What an answer of the server, or an event of a watch, says went wrong. */
  failureFor(status: number, said: unknown): KubernetesRefusal | Problem {
    return failureOf(this.server, statusOf(status, said));
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }

  async #translated<T>(given: AbortSignal | undefined, act: () => Promise<T>): Promise<T> {
    given?.throwIfAborted();
    try {
      return await act();
    } catch (error) {
      given?.throwIfAborted();
      throw this.awayFor(error);
    }
  }

  /** An answer of success. A credential that is refused may have rotated, and is read once more. */
  async #answerTo(asked: ApiRequest, signal: AbortSignal): Promise<IncomingMessage> {
    const credential = await this.#credentials.current();
    let answer = await this.#send(asked, { signal, credential });
    const renewed = answer.statusCode === 401 ? await this.#credentials.renewed(credential) : undefined;
    if (renewed !== undefined) {
      answer.destroy();
      answer = await this.#send(asked, { signal, credential: renewed });
    }
    const { statusCode = 0, headers } = answer;
    if (statusCode >= 200 && statusCode < 300) return answer;
    const text = await textOf(answer);
    throw failureOf(this.server, statusOf(statusCode, parsed(text) ?? text, headers['retry-after']));
  }

  #send(
    asked: ApiRequest,
    { signal, credential }: { readonly signal: AbortSignal; readonly credential: Credential },
  ): Promise<IncomingMessage> {
    const { server, servername, insecure } = this.#access;
    const { token, cert, key, ca } = credential;
    const body = asked.body === undefined ? undefined : Buffer.from(JSON.stringify(asked.body));
    const options: RequestOptions = {
      method: asked.method,
      headers: {
        accept: 'application/json',
        'user-agent': 'roadstead',
        // Node states no length of what is sent with a deletion.
        ...(body === undefined
          ? {}
          : { 'content-type': asked.type ?? 'application/json', 'content-length': body.length }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      agent: this.#agent,
      signal,
    };
    const tls = { cert, key, ca, servername, rejectUnauthorized: !insecure };
    const url = new URL(`${server}${asked.path}${queryOf(asked.query)}`);
    return new Promise((resolve, reject) => {
      const sent =
        url.protocol === 'https:'
          ? request(url, { ...options, ...tls }, resolve)
          : plainRequest(url, options, resolve);
      sent.once('error', reject);
      sent.end(body);
    });
  }
}

function queryOf(query: ApiRequest['query'] = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)] as [string, string]],
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
}

function statusOf(status: number, said: unknown, retry_after?: string): ApiStatus {
  const read = Status.safeParse(said).data ?? {};
  const seconds = Number(retry_after ?? read.details?.retryAfterSeconds);
  return {
    status,
    reason: read.reason ?? '',
    message: read.message ?? (typeof said === 'string' ? said.trim().slice(0, 1000) : ''),
    causes: (read.details?.causes ?? []) as ApiStatus['causes'],
    retry_after_s: Number.isFinite(seconds) ? seconds : undefined,
  };
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const pieces: string[] = [];
  let length = 0;
  for await (const piece of answer.setEncoding('utf8')) {
    length += String(piece).length;
    if (length > MAX_ANSWER_BYTES)
      throw new Problem('unavailable', 'The API server answers with more than can be taken.');
    pieces.push(String(piece));
  }
  return pieces.join('');
}

/** JSON, or undefined: what can't be read is quoted in no error, as it may be a secret. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The values of an answer that goes on, a line each. */
export async function* valuesOf(answer: IncomingMessage): AsyncGenerator<unknown> {
  let held = '';
  for await (const piece of answer.setEncoding('utf8')) {
    const lines = (held + String(piece)).split('\n');
    held = lines.pop() ?? '';
    if (held.length > MAX_ANSWER_BYTES)
      throw new Problem('unavailable', 'The API server answers with more than can be taken.');
    for (const line of lines) {
      const value = line === '' ? undefined : parsed(line);
      if (value !== undefined) yield value;
    }
  }
}
