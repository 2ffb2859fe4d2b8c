import { Agent, type IncomingMessage, request as httpRequest } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { answerHeaders, requestHeaders } from '@roadstead/http';
import { Problem } from '@roadstead/kit';
import type { ServerAddress } from '../ports/server-place.ts';

const BODILESS = [204, 205, 304];

/** Asks a server; bodies pass in both directions as they come. */
export class ServerAnswers implements Disposable {
  // Each open stream holds a connection, so their number is not limited.
  readonly #agent = new Agent({ keepAlive: true, maxFreeSockets: 64 });
  readonly #at: ServerAddress;

  constructor(at: ServerAddress) {
    this.#at = at;
  }

  /**
   * Resolves with the head of the answer. A request that is aborted is aborted there, too.
   * @param onEnd told once, when nothing of the exchange is under way any more
   * @throws Problem `unavailable` where it does not answer
   */
  async fetch(request: Request, onEnd: () => void): Promise<Response> {
    const { method, body, headers, signal } = request;
    const { host, pathname, search } = new URL(request.url);
    const others = [...headers].filter(([name]) => name !== 'host');
    const sent = httpRequest({
      ...this.#at,
      method,
      path: pathname + search,
      headers: ['host', host, ...requestHeaders(others.flat())],
      agent: this.#agent,
      signal,
    });
    sent.once('close', onEnd);
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      sent.once('response', resolve).once('error', reject);
    });
    // A server may answer without having read all of it.
    if (body === null) sent.end();
    else pipeline(Readable.fromWeb(body as never), sent).catch(() => undefined);
    const answer = await answered.catch((cause: unknown) => {
      signal.throwIfAborted();
      throw new Problem('unavailable', 'The server of this deployment ended before it answered; try again.', {
        cause,
        retry_after_s: 1,
      });
    });
    sent.on('error', () => undefined);
    return responseOf(answer, method);
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}

function responseOf(answer: IncomingMessage, method: string): Response {
  const { statusCode: status = 0 } = answer;
  if (status < 200 || status > 599) {
    answer.destroy();
    throw new Problem('unavailable', `The server of this deployment answered with the status ${status}.`);
  }
  const headers = new Headers();
  const raw = answerHeaders(answer.rawHeaders);
  for (let at = 0; at < raw.length; at += 2) headers.append(raw[at] ?? '', raw[at + 1] ?? '');
  answer.on('error', () => undefined);
  if (method === 'HEAD' || BODILESS.includes(status)) {
    answer.resume();
    return new Response(null, { status, headers });
  }
  return new Response(Readable.toWeb(answer) as ReadableStream<Uint8Array>, { status, headers });
}
