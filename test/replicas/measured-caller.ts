import { setTimeout } from 'node:timers/promises';
import type { RunningPlatform } from '../support/platform.ts';
import type { Ledger } from './ledger.ts';

/**
 * Calls a platform as clients are told to: a connection that is refused or breaks, and a 503 with `Retry-After`, are
 * asked again; any other answer of a server that fails is a fault.
 */

const BROKEN_PAUSE_MS = 100;
/** Nobody is away for so long; what waits longer is lost. */
const LOST_MS = 90_000;

/** One try of a call. @param tries how many were made before */
export type Attempt<T> = (tries: number) => Promise<T>;

/** What a try throws that may be made again. */
class Retriable extends Error {
  readonly pause_ms: number;

  constructor(why: string, pause_ms: number) {
    super(why);
    this.pause_ms = pause_ms;
  }
}

export class MeasuredCaller {
  readonly #platform: Pick<RunningPlatform, 'url' | 'key'>;
  readonly #ledger: Ledger;

  constructor(platform: Pick<RunningPlatform, 'url' | 'key'>, ledger: Ledger) {
    this.#platform = platform;
    this.#ledger = ledger;
  }

  get url(): string {
    return this.#platform.url;
  }

  /** Makes the call until it is answered, and enters how long that took. */
  async insist<T>(kind: string, attempt: Attempt<T>): Promise<T> {
    const began = performance.now();
    const retried: string[] = [];
    for (;;) {
      try {
        const answer = await attempt(retried.length);
        this.#ledger.answered({ kind, took_ms: performance.now() - began, retried });
        return answer;
      } catch (error) {
        if (!(error instanceof Retriable)) throw error;
        retried.push(error.message);
        if (performance.now() - began > LOST_MS)
          throw new Error(`${kind}: ${retried.join(', ')}`, { cause: error });
        await setTimeout(error.pause_ms);
      }
    }
  }

  /** One request of a try; its answer has a status below 500. */
  async ask(kind: string, path: string, init: RequestInit = {}): Promise<Response> {
    const headers = {
      'x-api-key': this.#platform.key,
      'content-type': 'application/json',
      ...(init.headers as Record<string, string>),
    };
    const answer = await fetch(this.url + path, { ...init, headers }).catch((error: unknown) => {
      throw broken(error);
    });
    if (answer.status < 500) return answer;
    const text = await answer.text().catch(() => '');
    const after = answer.headers.get('retry-after');
    if (answer.status !== 503 || after === null)
      this.#ledger.fault(kind, `${path}: ${answer.status} ${text}`);
    throw new Retriable(`${answer.status} ${text.slice(0, 120)}`, Number(after ?? 0) * 1000);
  }

  /** The same for JSON, whose status is a success. */
  async json<T>(kind: string, path: string, init: RequestInit = {}): Promise<T> {
    const answer = await this.ask(kind, path, init);
    const text = await answer.text().catch((error: unknown) => {
      throw broken(error);
    });
    if (!answer.ok) {
      this.#ledger.fault(kind, `${path}: ${answer.status} ${text}`);
      throw new Error(`${path}: ${answer.status} ${text}`);
    }
    return JSON.parse(text === '' ? 'null' : text) as T;
  }
}

function broken(error: unknown): Retriable {
  const { cause } = error as { readonly cause?: { readonly code?: string } };
  return new Retriable(`broken (${cause?.code ?? String(error)})`, BROKEN_PAUSE_MS);
}
