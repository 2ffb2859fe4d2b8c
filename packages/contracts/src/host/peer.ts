import { AskWindow, type AskWindowLimits } from './ask-window.ts';
import { encodeFrame, FrameDecoder, type JsonBytes, parseHead, unpackFrame } from './frames.ts';
import type { PackedFrame } from './frames.ts';
import type { HostError } from './protocol.ts';

export { HOST_WINDOW } from './ask-window.ts';
export { descriptors, NOT_SERVED_HEADER } from './descriptors.ts';
export { JsonBytes, MAX_FRAME_BYTES } from './frames.ts';
export { jsonText } from './json-text.ts';
export { MANY_RUNS } from './load.ts';
export { isShareable, keepLast, MAX_SHARED_PARTS, SharedParts } from './shared-parts.ts';

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

export interface PeerHandlers {
  /** Answers what the other side asks. Called in the order of arrival; a rejection travels as a `HostError`. */
  ask(
    method: string,
    params: unknown,
    blobs: readonly Uint8Array[],
    /** What the frame takes. */
    bytes: number,
  ): Promise<{ readonly result: unknown; readonly blobs?: readonly Uint8Array[] }>;
  /** Takes the other side's messages, one after the other. A throw reaches the caller of `receive`. */
  tell(method: string, params: unknown, blobs: readonly Uint8Array[]): void;
  /** Parses a large head without holding the event loop; without it large heads are parsed like others. */
  parseLarge?(json: Uint8Array): Promise<unknown>;
  /** How long frames are handled before others have a turn; without it all that have come are handled at once. */
  readonly slice?: { isOver(): boolean; next(): Promise<void> };
  /** How much this side asks at a time; without it all goes out at once. */
  readonly window?: AskWindowLimits;
}

/** A head that is longer is a large one. */
const LARGE_HEAD_BYTES = 262_144;

/** For a side that only asks. */
export type NoTells = Readonly<Record<string, never>>;
type Params<Entry> = Entry extends { readonly params: infer P } ? P : never;
type Result<Entry> = Entry extends { readonly result: infer R } ? R : never;

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
  readonly resolve: (reply: Reply<never>) => void;
  readonly reject: (error: Error) => void;
}

/**
 * One side of the host protocol: asks, tells and answers over a transport. `Calls` and `Tells` are what *this* side
 * may ask and tell (`HostCalls` and `HostTells`, or `EngineCalls`).
 */
export class Peer<Calls extends object, Tells extends object = NoTells> {
  readonly #transport: PeerTransport;
  readonly #handlers: PeerHandlers;
  readonly #decoder = new FrameDecoder();
  readonly #open = new Map<number, OpenAsk>();
  readonly #window: AskWindow | undefined;
  #lastId = 0;
  #closed: Error | undefined;

  constructor(transport: PeerTransport, handlers: PeerHandlers) {
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
   * end nothing else may be handed in. Throws when the bytes can't be frames: end the connection.
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
      this.#handle(packed, this.#isLarge(packed) ? await parseLarge?.(json) : parseHead(json));
    }
  }

  /** Rejects with the other side's error, or with that of `close` when the connection ends first. */
  // oxlint-disable-next-line roadstead/two-positional -- the three parts of a frame
  ask<Method extends keyof Calls & string>(
    method: Method,
    params: Params<Calls[Method]> | JsonBytes,
    blobs?: readonly Uint8Array[],
  ): Promise<Reply<Result<Calls[Method]>>> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      const frame = encodeFrame({ id, method, params }, blobs);
      this.#open.set(id, { resolve, reject });
      if (this.#window === undefined) this.#write(frame);
      else this.#window.ask({ id, method, frame });
    });
  }

  /** Says nothing once the connection has ended. */
  // oxlint-disable-next-line roadstead/two-positional -- the three parts of a frame
  tell<Method extends keyof Tells & string>(
    method: Method,
    params: Tells[Method] | JsonBytes,
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
    const { head, blobs } = unpackFrame(packed, parsed);
    if ('re' in head) return this.#settle(head.re, head, blobs);
    if ('id' in head)
      return void this.#answer(head.id, () =>
        this.#handlers.ask(head.method, head.params, blobs, packed.json.length + packed.rest.length),
      );
    return this.#handlers.tell(head.method, head.params, blobs);
  }

  #settle(id: number, answer: { result?: unknown; error?: HostError }, blobs: readonly Uint8Array[]): void {
    const open = this.#open.get(id);
    this.#open.delete(id);
    this.#window?.answered(id);
    if (answer.error !== undefined) open?.reject(new RemoteError(answer.error));
    else open?.resolve({ result: answer.result as never, blobs });
  }

  async #answer(id: number, work: () => ReturnType<PeerHandlers['ask']>): Promise<void> {
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
    this.#write(encodeFrame(head, blobs));
  }

  #write(frame: readonly Uint8Array[]): void {
    for (const bytes of frame) this.#transport.write(bytes);
  }
}

const MAX_MESSAGE = 2000;

/** Whatever was thrown, as data: the message's first line, at most 2,000 characters of it. */
export function toHostError(thrown: unknown): HostError {
  if (typeof thrown !== 'object' || thrown === null)
    return { name: 'Error', message: firstLine(String(thrown)) };
  const { name, message, stack, hint } = thrown as Partial<Error & { hint: unknown }>;
  return {
    name: typeof name === 'string' && name !== '' ? name : 'Error',
    message: firstLine(typeof message === 'string' ? message : 'An error without a message was thrown'),
    ...(typeof stack === 'string' ? { stack } : {}),
    ...(typeof hint === 'string' ? { hint: firstLine(hint) } : {}),
  };
}

function firstLine(text: string): string {
  return (text.trimStart().split('\n', 1)[0] ?? '').slice(0, MAX_MESSAGE);
}
