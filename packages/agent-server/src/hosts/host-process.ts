import type { Duplex } from 'node:stream';
import type { EngineCalls, HostCalls, HostTells, NoTells } from '@roadstead/contracts/host';
import {
  checksOfHosts,
  corkedTransport,
  FRAME_LIMITS,
  JsonBytes,
  MalformedFrame,
  Peer,
  type Reply,
} from '@roadstead/contracts/host-peer';
import { parseJson } from '@roadstead/json';
import { arrivals, Problem, readLines } from '@roadstead/kit';
import { isLarge, writeLarge } from '../json/json-text.ts';
import { type AppSocket, HostHttp, serveLoopback } from './host-http.ts';
import type { HostEnd } from './host-kind.ts';
import { HostQuestions } from './host-questions.ts';
import { lateTransport } from './late-transport.ts';
import type { LaunchedHost } from './launcher.ts';
import type { RunSink } from './run-sink.ts';
import { unfinishedFrames } from './unfinished-frames.ts';

export interface HostProcessOptions {
  readonly launched: LaunchedHost;
  /** The memory that it may have; undefined where it has no limit. */
  readonly memory_mb?: number;
  readonly handlers: RunSink;
  /** Each line that the user's code prints. */
  readonly onLine: (line: string, stream: 'stdout' | 'stderr') => void;
  /** Hides secrets in what it prints. */
  readonly mask: (text: string) => string;
  /** Answers what its code asks of its own deployment. */
  readonly loopback?: (request: Request) => Promise<Response>;
}

/** The requests that a graph host's process answers. */
export type HostHandle = Pick<
  HostProcess,
  | 'pid'
  | 'exited'
  | 'out_of_memory'
  | 'breach'
  | 'refusal_code'
  | 'begun'
  | 'ask'
  | 'fetch'
  | 'connect'
  | 'kill'
  | 'stop'
  | typeof Symbol.asyncDispose
>;

/** A frame of a host that breaks the protocol. */
export interface Breach {
  /** The run that the frame names. */
  readonly run_id: string | undefined;
}

/** One graph host, wherever it runs, and what is said over its connections. */
export class HostProcess implements AsyncDisposable {
  readonly #launched: LaunchedHost;
  readonly #peer: Peer<EngineCalls, NoTells, HostCalls, HostTells>;
  readonly #http: HostHttp;
  readonly #questions: HostQuestions;
  /** Ends when all large questions have gone out. */
  #sending: Promise<unknown> | undefined;
  /** Settles when the process has ended, with a sentence that says how. */
  readonly exited: Promise<string>;
  #out_of_memory = false;
  #is_connected = false;
  #refusal_code: string | undefined;
  #breach: Breach | undefined;
  #closed = false;
  /** Why it was ended, where its frames were the reason. */
  #why: string | undefined;

  constructor({ launched, memory_mb, handlers, onLine, mask, loopback }: HostProcessOptions) {
    this.#launched = launched;
    const { connections, memory_full, unfit } = launched;
    this.#http = new HostHttp(connections.then(({ app }) => app));
    const { ask, tell } = handlers;
    this.#questions = new HostQuestions({ answer: ask, onHeld: () => this.#hold() });
    this.#peer = new Peer(lateTransport(connections.then(({ channel }) => corkedTransport(channel))), {
      checks: checksOfHosts,
      malformed: 'throw',
      max_blobs: FRAME_LIMITS.max_blobs,
      ask: async (question, blobs, bytes) => {
        const { result, ...answer } = await this.#questions
          .ask({ question, blobs, bytes })
          .catch((error: unknown) => this.#refuse(error, question.params));
        return { ...answer, result: isLarge(result) ? await jsonBytes(result) : result };
      },
      tell: (message, blobs) => {
        try {
          tell(message, blobs);
        } catch (cause) {
          throw cause instanceof MalformedFrame
            ? cause
            : new MalformedFrame(`"${message.method}" holds what can't be taken`, { cause });
        }
      },
      parseLarge: (json) =>
        parseJson(json, { ...FRAME_LIMITS, part_bytes: FRAME_LIMITS.max_key_bytes }).catch(tooLarge),
      slice: arrivals,
    });
    connections.then(
      ({ channel, loopback: calls }) => {
        this.#is_connected = true;
        channel.on('data', (bytes: Buffer) => this.#receive(channel, bytes));
        channel.on('error', () => undefined);
        channel.resume();
        serveLoopback(calls, loopback);
      },
      // Its end says why.
      () => undefined,
    );
    let memory_is_full = false;
    let misfit: string | undefined;
    for (const [name, stream] of Object.entries(launched.output))
      readLines(stream, {
        mask,
        onLine: (line) => {
          const may_say = name === 'stderr' || launched.outputs_are_one === true;
          memory_is_full ||= may_say && memory_full.says(line);
          if (!this.#is_connected) misfit ??= unfit?.(line);
          onLine(line, name as 'stdout' | 'stderr');
        },
      });
    this.exited = launched.ended.then((ended) => {
      this.#refusal_code = ended.kind === 'refused' ? ended.code : undefined;
      this.#out_of_memory = ended.kind === 'out of memory' || (memory_is_full && memory_full.ends(ended));
      return this.#out_of_memory || ended.kind === 'out of memory'
        ? outOfMemory(memory_mb)
        : (this.#why ?? (this.#is_connected ? undefined : misfit) ?? sentenceOf(ended));
    });
    void this.exited.then((how) => this.#close(new Problem('unavailable', how)));
  }

  get pid(): number | undefined {
    return this.#launched.pid;
  }

  /** Whether it ended for the memory that it took; known once it has ended. */
  get out_of_memory(): boolean {
    return this.#out_of_memory;
  }

  /** Resolves once its program runs, where it takes a while until then. */
  get begun(): Promise<void> {
    return this.#launched.begun ?? Promise.resolve();
  }

  /** What is wrong where it could not begin, as a word for machines; known once it has ended. */
  get refusal_code(): string | undefined {
    return this.#refusal_code;
  }

  /** How it broke the protocol, where it was ended for that. */
  get breach(): Breach | undefined {
    return this.#breach;
  }

  /** Requests wait until earlier large ones have been sent. */
  async ask<M extends keyof EngineCalls>(
    method: M,
    params: EngineCalls[M]['params'],
  ): Promise<Reply<EngineCalls[M]['result']>> {
    if (isLarge(params)) {
      const sent = Promise.all([jsonBytes(params), this.#sending]).then(([bytes]) => ({
        reply: this.#peer.ask(method, bytes),
      }));
      this.#sending = sent;
      return (await sent).reply;
    }
    await this.#sending;
    return this.#peer.ask(method, params);
  }

  /** Asks the project's own app. Both bodies are streamed, no faster than they are read. */
  fetch(request: Request, onEnd?: () => void): Promise<Response> {
    return this.#http.fetch(request, onEnd);
  }

  /** Asks the project's own app for a WebSocket. */
  connect(request: Request, onEnd?: () => void): Promise<AppSocket | Response> {
    return this.#http.connect(request, onEnd);
  }

  /** Ends the process and everything that it started. */
  kill(): void {
    this.#launched.kill();
  }

  /** Lets the tracer flush, for `grace_ms` at most. */
  async stop(grace_ms: number): Promise<void> {
    const timer = setTimeout(() => this.kill(), grace_ms);
    await this.#launched.retire?.();
    await this.ask('stop', { grace_ms }).catch(() => undefined);
    await this.exited;
    clearTimeout(timer);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill();
    await this.exited;
  }

  #receive(channel: Duplex, bytes: Buffer): void {
    try {
      const handled = this.#peer.receive(bytes);
      this.#hold();
      if (handled === undefined) return;
      channel.pause();
      handled.then(
        () => channel.resume(),
        (cause: unknown) => this.#endForBreach(cause),
      );
    } catch (cause) {
      this.#endForBreach(cause);
    }
  }

  /** Rejects a question with these params; one that breaks the protocol ends its host. */
  #refuse(error: unknown, params: unknown): never {
    if (error instanceof MalformedFrame) this.#endForBreach(error.blame(params));
    throw error;
  }

  #endForBreach(cause: unknown): void {
    const is_malformed = cause instanceof MalformedFrame;
    this.#breach ??= { run_id: is_malformed ? cause.run_id : undefined };
    const place = is_malformed ? `: ${cause.message}` : '';
    this.#end(`The graph host broke the host protocol${place}.`, cause);
  }

  /** Its frames take more memory than all hosts may have together. */
  endForMemory(): void {
    this.#end('The graph host sent more at once than this machine can take.');
  }

  #end(sentence: string, cause?: unknown): void {
    this.#why ??= sentence;
    this.#close(new Problem('unavailable', sentence, { cause }));
    this.kill();
  }

  #hold(): void {
    if (!this.#closed) unfinishedFrames.hold(this, this.#peer.held + this.#questions.held_bytes);
  }

  /** Fails all open questions, in both directions. */
  #close(why: Problem): void {
    this.#closed = true;
    unfinishedFrames.hold(this, 0);
    this.#questions.close(why);
    this.#peer.close(why);
  }
}

async function jsonBytes(value: unknown): Promise<JsonBytes> {
  return new JsonBytes(await writeLarge(value));
}

/** Says which limit a head is beyond, in the words for bodies. */
function tooLarge(cause: unknown): never {
  if (!(cause instanceof Problem) || cause.kind !== 'too_large') throw cause;
  const why = cause.message.replace(/^The body (.*)\.$/, 'it $1');
  throw new MalformedFrame(`a head can't be read, as ${why}`, { cause });
}

const outOfMemory = (memory_mb = 0) =>
  `The graph host took more than the ${memory_mb} MB of memory that it may have, and was ended.`;

function sentenceOf(ended: Exclude<HostEnd, { kind: 'out of memory' }>): string {
  if (ended.kind === 'refused') return ended.sentence;
  if (ended.kind === 'lost') return `The graph host is lost: ${ended.why}`;
  if (ended.kind === 'not started') return `The graph host could not be started (${ended.why}).`;
  return ended.kind === 'exited'
    ? `The graph host ended with exit code ${ended.code}.`
    : `The graph host was ended by ${ended.signal}.`;
}
