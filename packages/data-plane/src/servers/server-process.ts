import { setTimeout as pause } from 'node:timers/promises';
import type { HostEnd } from '@roadstead/agent-server';
import { Problem, readLines } from '@roadstead/kit';
import { EngineAway, isEngineAway } from '../images/engine-away.ts';
import { SourceAway } from '../ports/source-away.ts';
import type { PlacedServer, ServerAddress, ServerOrder, ServerPlace } from '../ports/server-place.ts';
import { isAnswering } from './server-health.ts';
import { ServerAnswers } from './server-answers.ts';

export interface ServerProcessOptions extends ServerOrder {
  readonly place: ServerPlace;
  readonly start_ms: number;
  /** A server that has not been healthy for so long is ended. */
  readonly unresponsive_ms: number;
  readonly onLine: (line: string, stream: 'stdout' | 'stderr') => void;
}

/** How often a server that starts is asked, and one that serves. */
const STARTING_MS = 100;
const SERVING_MS = 5000;
/** What a server gets to end by itself. */
export const STOP_MS = 10_000;

/** One server of an image, with the calls that it answers. */
export class ServerProcess {
  /** Resolves once it answers; rejects with the reason, in words, where it never does. */
  readonly ready: Promise<void>;
  readonly ended: Promise<HostEnd>;
  readonly started_at = Date.now();
  readonly #options: ServerProcessOptions;
  readonly #placed: PlacedServer;
  readonly #started = Promise.withResolvers<void>();
  readonly #over = new AbortController();
  /** Why it could not be started, where its engine is away. */
  #away: unknown;
  #answers: ServerAnswers | undefined;
  #at: ServerAddress | undefined;
  #calls = 0;
  #free_since = Date.now();
  #idle: (() => void) | undefined;

  constructor(options: ServerProcessOptions) {
    this.#options = options;
    this.#placed = options.place.place(options);
    for (const [name, stream] of Object.entries(this.#placed.output))
      readLines(stream, { onLine: (line) => options.onLine(line, name as 'stdout' | 'stderr') });
    this.ended = this.#placed
      .run(() => this.#started.resolve())
      .catch((error: unknown) => {
        this.#away = isEngineAway(error) || error instanceof SourceAway ? error : undefined;
        return this.#placed.failed(error);
      })
      .finally(() => {
        this.#over.abort();
        this.#answers?.[Symbol.dispose]();
      });
    this.ready = this.#untilReady();
    this.ready.then(
      () => void this.#watch(),
      () => this.kill(),
    );
  }

  /** The number of calls that it answers now. */
  get calls(): number {
    return this.#calls;
  }

  /** How long it has had no call. */
  get idle_ms(): number {
    return this.#calls > 0 || this.#at === undefined ? 0 : Date.now() - this.#free_since;
  }

  /** Where it is reached, once it is ready. */
  get at(): ServerAddress | undefined {
    return this.#at;
  }

  /** Counts a call, or somebody who waits for one, until what is returned is called. */
  hold(): () => void {
    this.#calls += 1;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#calls -= 1;
      this.#free_since = Date.now();
      if (this.#calls === 0) this.#idle?.();
    };
  }

  /** @param onEnd told once nothing of the call is under way; not where it did not begin */
  fetch(request: Request, onEnd: () => void): Promise<Response> {
    return this.#served().fetch(request, onEnd);
  }

  kill(): void {
    this.#placed.kill();
  }

  /** Waits for its calls, and has it end by its own signal, each for so long at most. */
  async stop(grace_ms: number): Promise<void> {
    if (this.#calls > 0)
      await Promise.race([
        new Promise<void>((resolve) => (this.#idle = resolve)),
        pause(grace_ms, undefined, { ref: false }),
        this.ended,
      ]);
    const grace_s = Math.ceil(Math.min(grace_ms, STOP_MS) / 1000);
    await Promise.race([this.#placed.stop(grace_s), this.ended]);
    this.kill();
    await this.ended;
  }

  async #untilReady(): Promise<void> {
    const { start_ms, image } = this.#options;
    // What keeps it from beginning has limits of its own.
    const late = new AbortController();
    void this.#started.promise.then(() => setTimeout(() => late.abort(), start_ms).unref());
    const until = AbortSignal.any([late.signal, this.#over.signal]);
    const given_up = new Promise<never>((_resolve, reject) => {
      until.addEventListener('abort', () => reject(new Error('given up')), { once: true });
    });
    given_up.catch(() => undefined);
    try {
      await Promise.race([this.#started.promise, given_up]);
      while (!(await this.#isHealthy(until))) await pause(STARTING_MS, undefined, { signal: until });
    } catch {
      if (this.#over.signal.aborted) throw await this.#whyEnded();
      throw new Problem(
        'invalid',
        `The server of the image did not answer on port ${image.port} within ${start_ms / 1000} s.`,
        {
          code: 'not_listening',
          hint: 'It has to listen on 0.0.0.0, at the port that the variable PORT names, or that EXPOSE of its image does.',
        },
      );
    }
  }

  async #whyEnded(): Promise<unknown> {
    const end = await this.ended;
    if (this.#away === undefined) return endedProblem(end);
    return isEngineAway(this.#away) ? new EngineAway(this.#away) : this.#away;
  }

  /** Ends one that serves, and is not healthy for long. */
  async #watch(): Promise<void> {
    const { signal } = this.#over;
    let healthy_at = Date.now();
    while (!signal.aborted) {
      await pause(SERVING_MS, undefined, { signal, ref: false }).catch(() => undefined);
      const probe = AbortSignal.any([signal, AbortSignal.timeout(this.#options.unresponsive_ms)]);
      if (await this.#isHealthy(probe)) healthy_at = Date.now();
      else if (!signal.aborted && Date.now() - healthy_at > this.#options.unresponsive_ms) {
        this.#options.onLine('the server does not answer any more, and is ended', 'stderr');
        this.kill();
      }
    }
  }

  /** The check that its image brings decides, else what it answers. */
  async #isHealthy(signal: AbortSignal): Promise<boolean> {
    const state = await this.#placed.look();
    if (state.kind === 'unknown') return this.#at !== undefined && isAnswering(this.#at, signal);
    if (state.kind === 'stopped') return false;
    const { at, is_healthy } = state;
    const isHealthy = is_healthy ?? (await isAnswering(at, signal));
    if (isHealthy && (this.#at?.host !== at.host || this.#at.port !== at.port)) {
      this.#answers?.[Symbol.dispose]();
      this.#answers = new ServerAnswers(at);
      this.#at = at;
      this.#free_since = Date.now();
    }
    return isHealthy;
  }

  #served(): ServerAnswers {
    if (this.#answers !== undefined) return this.#answers;
    throw new Problem('unavailable', 'The server of this deployment starts; try again.', {
      retry_after_s: 1,
    });
  }
}

function endedProblem(end: HostEnd): Problem {
  if (end.kind === 'refused') return new Problem('invalid', end.sentence, { code: end.code });
  const how =
    end.kind === 'exited'
      ? `ended with exit code ${end.code}`
      : end.kind === 'out of memory'
        ? 'took more memory than it may have, and was ended'
        : end.kind === 'killed'
          ? `was ended by ${end.signal}`
          : `could not be started (${end.why})`;
  return new Problem('invalid', `The server of the image ${how} before it answered.`, {
    code: end.kind === 'out of memory' ? 'out_of_memory' : 'server_ended',
    hint: 'The log of the revision has what it printed.',
  });
}
