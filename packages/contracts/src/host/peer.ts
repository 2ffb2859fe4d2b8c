import { AskWindow, type AskWindowLimits } from './ask-window.ts';
import { type FrameLimits, LARGE_HEAD_BYTES } from './frame-limits.ts';
import { encodeFrame, FrameDecoder, type JsonBytes, parseHead, unpackFrame } from './frames.ts';
import type { PackedFrame } from './frames.ts';
import type { HostError } from './error.ts';
import type { FrameChecks } from './frame-checks.ts';
import { MalformedFrame } from './malformed-frame.ts';
import type { Head } from './protocol.ts';
import { NoSharedVersion } from './versions.ts';
import type { CallTable, Message, Question } from './questions.ts';

export { HOST_WINDOW } from './ask-window.ts';
export { type ConnectionName, descriptors, dialVariables, NOT_SERVED_HEADER } from './descriptors.ts';
export { checksOfEngine, checksOfHosts } from './frame-checks.ts';
export { checkHeadSize, FRAME_LIMITS } from './frame-limits.ts';
export { JsonBytes, MAX_FRAME_BYTES } from './frames.ts';
export { jsonText } from './json-text.ts';
export { MANY_RUNS } from './load.ts';
export { MalformedFrame } from './malformed-frame.ts';
export { isShareable, keepLast, MAX_SHARED_PARTS, SharedParts } from './shared-parts.ts';
export { noSharedVersion, NoSharedVersion, PROTOCOL_VERSIONS, sharedVersion } from './versions.ts';

/** What a peer writes to. The owner of the transport looks after back-pressure and hands in what it reads. */
export interface PeerTransport {
  write(bytes: Uint8Array): void;
}

/** The part of a stream that holds back what is written while it is corked. */
interface Corkable {
  cork(): void;
  uncork(): void;
  write(bytes: Uint8Array): unknown;
}

/** Writes to a stream; what one turn brings goes out together, because each write costs a system call. */
export function corkedTransport(stream: Corkable): PeerTransport {
  let corked = false;
  return {
    write: (frame) => {
      if (!corked) {
        corked = true;
        stream.cork();
        process.nextTick(() => {
          corked = false;
          stream.uncork();
        });
      }
      stream.write(frame);
    },
  };
}

/** A result with the bytes it points to by `BlobIndex`. */
export interface Reply<Result> {
  readonly result: Result;
  readonly blobs: readonly Uint8Array[];
}

export interface PeerHandlers<Ours extends CallTable<Ours>, Theirs extends CallTable<Theirs>, TheirTells> {
  /** Checks what comes: handlers see nothing else. */
  readonly checks: FrameChecks<Ours, Theirs, TheirTells>;
  /**
   * Decides what a malformed frame leads to. `throw`: the caller of `receive` ends the connection. `answer`: the other side
   * gets an error, or who asked does; only what can't be read as a frame is thrown.
   */
  readonly malformed: 'throw' | 'answer';
  /** Answers the questions of the other side. Called in the order of arrival; a rejection travels as a `HostError`. */
  ask(
    question: Question<Theirs>,
    blobs: readonly Uint8Array[],
    /** The size of the frame. */
    bytes: number,
  ): Promise<{ readonly result: unknown; readonly blobs?: readonly Uint8Array[] }>;
  /** Takes the other side's messages, one after the other. A throw reaches the caller of `receive`. */
  tell(message: Message<TheirTells>, blobs: readonly Uint8Array[]): void;
  /**
   * Parses a large head without holding the event loop; without it large heads are parsed like others. A `MalformedFrame`
   * says why it can't be.
   */
  parseLarge?(json: Uint8Array): Promise<unknown>;
  /** How long frames are handled before others have a turn; without it all that have come are handled at once. */
  readonly slice?: { isOver(): boolean; next(): Promise<void> };
  /** How many blobs a frame may bring; without it as many as fit. */
  readonly max_blobs?: number;
  /** The most that the other side reads in one frame: a frame that holds more is not sent, and its sender hears why. */
  readonly limits?: FrameLimits;
  /** How much this side asks at a time; without it all goes out at once. */
  readonly window?: AskWindowLimits;
}

/** An error of the other side, with its name and stack there. */
export class RemoteError extends Error {
  readonly hint: string | undefined;

  constructor(error: HostError) {
    super(error.message);
    this.hint = error.hint;
    this.name = error.name;
    if (error.stack !== undefined) this.stack = error.stack;
  }
}

interface OpenAsk {
  /** Throws where the answer is malformed. */
  readonly settle: (result: unknown, blobs: readonly Uint8Array[]) => void;
  readonly reject: (error: unknown) => void;
}

/** One side of the host protocol: asks, tells and answers over a transport. */
export class Peer<Ours extends CallTable<Ours>, OurTells, Theirs extends CallTable<Theirs>, TheirTells> {
  readonly #transport: PeerTransport;
  readonly #handlers: PeerHandlers<Ours, Theirs, TheirTells>;
  readonly #decoder = new FrameDecoder();
  readonly #open = new Map<number, OpenAsk>();
  readonly #window: AskWindow | undefined;
  #lastId = 0;
  #closed: Error | undefined;

  constructor(transport: PeerTransport, handlers: PeerHandlers<Ours, Theirs, TheirTells>) {
    this.#transport = transport;
    this.#handlers = handlers;
    if (handlers.window !== undefined)
      this.#window = new AskWindow(handlers.window, (frame) => this.#write(frame));
  }

  /** Bytes of a frame that has not come to its end. */
  get held(): number {
    return this.#decoder.held;
  }

  /**
   * Handles the frames that these bytes complete, in order. Where that takes a while it answers a promise, before whose
   * end nothing else may be handed in. Throws when the bytes are no frames, or break the protocol: end the connection.
   */
  receive(bytes: Uint8Array): Promise<void> | undefined {
    const frames = this.#decoder.push(bytes);
    for (const [at, packed] of frames.entries()) {
      if (this.#isLarge(packed) || this.#handlers.slice?.isOver() === true)
        return this.#receiveSlowly(frames.slice(at));
      this.#handle(packed, parseHead(packed.json));
    }
    return undefined;
  }

  #isLarge({ json }: PackedFrame): boolean {
    return json.length > LARGE_HEAD_BYTES && this.#handlers.parseLarge !== undefined;
  }

  async #receiveSlowly(frames: readonly PackedFrame[]): Promise<void> {
    const { slice, parseLarge } = this.#handlers;
    for (const packed of frames) {
      if (slice?.isOver() === true) await slice.next();
      if (this.#closed !== undefined) return;
      const { json } = packed;
      this.#handle(
        packed,
        this.#isLarge(packed) ? await parseLarge?.(json).catch(unreadable) : parseHead(json),
      );
    }
  }

  /** Rejects with the other side's error, or with that of `close` when the connection ends first. */
  // oxlint-disable-next-line roadstead/two-positional -- the three parts of a frame
  ask<Method extends keyof Ours & string>(
    method: Method,
    params: Ours[Method]['params'] | JsonBytes,
    blobs?: readonly Uint8Array[],
  ): Promise<Reply<Ours[Method]['result']>> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    const id = ++this.#lastId;
    const { checks, limits } = this.#handlers;
    return new Promise((resolve, reject) => {
      const frame = encodeFrame({ id, method, params }, blobs, limits);
      this.#open.set(id, {
        settle: (result, bytes) =>
          resolve({ result: checks.result(method, { result, blobs: bytes.length }), blobs: bytes }),
        reject,
      });
      if (this.#window === undefined) this.#write(frame);
      else this.#window.ask({ id, method, frame });
    });
  }

  /** Says nothing once the connection has ended. */
  // oxlint-disable-next-line roadstead/two-positional -- the three parts of a frame
  tell<Method extends keyof OurTells & string>(
    method: Method,
    params: OurTells[Method] | JsonBytes,
    blobs?: readonly Uint8Array[],
  ): void {
    if (this.#closed === undefined) this.#send({ method, params }, blobs);
  }

  /** Rejects every open ask and everything asked from now on. Closing again changes nothing. */
  close(error: Error): void {
    if (this.#closed !== undefined) return;
    this.#closed = error;
    for (const open of this.#open.values()) open.reject(error);
    this.#open.clear();
    this.#window?.clear();
  }

  #handle(packed: PackedFrame, parsed: unknown): void {
    if (this.#closed !== undefined) return;
    const { head, blobs } = unpackFrame(packed, parsed, this.#handlers.max_blobs);
    if (head.re !== undefined) return this.#settle(head, blobs);
    try {
      this.#take(head, { blobs, bytes: packed.json.length + packed.rest.length });
    } catch (error) {
      throw error instanceof MalformedFrame ? error.blame(head.params) : error;
    }
  }

  #take(
    head: Extract<Head, { readonly method: string }>,
    { blobs, bytes }: { readonly blobs: readonly Uint8Array[]; readonly bytes: number },
  ): void {
    const { checks } = this.#handlers;
    if (head.id !== undefined) {
      return this.#hear(head.id, () => {
        const question = checks.question(head, blobs.length);
        if (question === undefined) throw new UnknownMethod(head.method);
        return () => this.#handlers.ask(question, blobs, bytes);
      });
    }
    const message = this.#tolerate(() => checks.message(head, blobs.length));
    if (message !== undefined) this.#handlers.tell(message, blobs);
  }

  /** Answers a question once it is read. One that is malformed, or that nobody knows here, is answered as an error. */
  #hear(id: number, read: () => () => ReturnType<PeerHandlers<Ours, Theirs, TheirTells>['ask']>): void {
    let work;
    try {
      work = read();
    } catch (error) {
      if (error instanceof MalformedFrame && this.#handlers.malformed === 'throw') throw error;
      return this.#reply({ re: id, error: toHostError(error) });
    }
    void this.#answer(id, work);
  }

  /** Reads what came. A side that answers goes on without what is malformed; there, nobody asked for it. */
  #tolerate<Read>(read: () => Read): Read | undefined {
    try {
      return read();
    } catch (error) {
      if (this.#handlers.malformed === 'throw') throw error;
      return undefined;
    }
  }

  #settle(answer: Exclude<Head, { readonly method: string }>, blobs: readonly Uint8Array[]): void {
    const open = this.#open.get(answer.re);
    this.#open.delete(answer.re);
    this.#window?.answered(answer.re);
    this.#tolerate(() => {
      if (open === undefined) throw new MalformedFrame('an answer names a question that is not open');
      if (answer.error !== undefined) return open.reject(new RemoteError(answer.error));
      try {
        open.settle(answer.result, blobs);
      } catch (error) {
        // A frame of another version breaks nothing; who asked decides about the host.
        if (error instanceof NoSharedVersion) return open.reject(error);
        // Where the connection ends for it, who asked hears that, as everybody does whose question is open.
        if (this.#handlers.malformed === 'throw') this.#open.set(answer.re, open);
        else open.reject(error);
        throw error;
      }
    });
  }

  async #answer(
    id: number,
    work: () => ReturnType<PeerHandlers<Ours, Theirs, TheirTells>['ask']>,
  ): Promise<void> {
    try {
      const answer = await work();
      this.#reply({ re: id, result: answer.result }, answer.blobs);
    } catch (error) {
      this.#reply({ re: id, error: toHostError(error) });
    }
  }

  #reply(head: object, blobs?: readonly Uint8Array[]): void {
    if (this.#closed === undefined) this.#send(head, blobs);
  }

  #send(head: object, blobs?: readonly Uint8Array[]): void {
    this.#write(encodeFrame(head, blobs, this.#handlers.limits));
  }

  #write(frame: readonly Uint8Array[]): void {
    for (const bytes of frame) this.#transport.write(bytes);
  }
}

/** The answer to a question of another version of the protocol. */
class UnknownMethod extends Error {
  constructor(method: string) {
    super(`This side of the host protocol does not know the method "${method}".`);
    this.name = 'UnknownMethod';
  }
}

function unreadable(cause: unknown): never {
  if (cause instanceof MalformedFrame) throw cause;
  throw new MalformedFrame('a head is not JSON that can be read', { cause });
}

const MAX_MESSAGE = 2000;

/** Anything thrown, as data: its message in one line, at most 2,000 characters of it. */
export function toHostError(thrown: unknown): HostError {
  if (typeof thrown !== 'object' || thrown === null)
    return { name: 'Error', message: oneLine(String(thrown)) };
  const { name, message, stack, hint } = thrown as Partial<Error & { hint: unknown }>;
  return {
    name: typeof name === 'string' && name !== '' ? name : 'Error',
    message: oneLine(typeof message === 'string' ? message : 'An error without a message was thrown'),
    ...(typeof stack === 'string' ? { stack } : {}),
    ...(typeof hint === 'string' ? { hint: oneLine(hint) } : {}),
  };
}

// oxlint-disable-next-line no-control-regex -- the ends of lines, as Python has them
const LINE_ENDS = /[\n\r\v\f\u001C-\u001E\u0085\u2028\u2029]+/;

/** The lines of a text in one, as far as a message goes. */
function oneLine(text: string): string {
  const lines = text.slice(0, 10 * MAX_MESSAGE).split(LINE_ENDS);
  return lines
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' | ')
    .slice(0, MAX_MESSAGE);
}
