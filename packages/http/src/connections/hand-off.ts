import type { ChildProcess } from 'node:child_process';
import { type Beginning, stopReading } from './connection-beginning.ts';

/** A connection on its way to the other process, together with the bytes read from it. */
export interface HandedConnection {
  readonly id: number;
  readonly first: Uint8Array;
}

/** The messages of the other process. */
export type HandedAnswer =
  | { readonly taking: boolean }
  | { readonly id: number; readonly is_taken: boolean }
  /** This many more of the connections it took are closed. */
  | { readonly closed: number };

interface Offer extends Beginning {
  /** Serves the connection after all. */
  readonly keep: () => void;
}

/** The longest method that is in use, `OPTIONS`, and a space. */
const METHOD_BYTES = 8;
/** The most offers under way at once: Node sends them one by one, each when the child has received the one before. */
const MAX_OFFERS = 64;
/** The message by which Node reports a lost connection, for example when the child may open no more files. */
const LOST = 'NODE_HANDLE_NACK';

/**
 * Hands connections whose first request is below a path on to a child process, which serves them from then on
 * (`handed-connections.ts`). A connection belongs to us until the child confirms that it took it, and again when the
 * child ends before that.
 */
export class HandOff {
  readonly #path: string;
  readonly #offers = new Map<number, Offer & { readonly readOn: () => void }>();
  #child: ChildProcess | undefined;
  #is_taking = false;
  #last_id = 0;
  #held = 0;
  /** Called with the number of connections that the child has, whenever it changes. */
  onHeld: (held: number) => void = () => undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * Hands connections on to this child from when it reports that it takes them until it ends. It needs a channel
   * (`ipc`), with `advanced` serialization.
   */
  to(child: ChildProcess): void {
    this.#child = child;
    child.on('message', (said: HandedAnswer) => {
      if ('taking' in said) this.#is_taking = said.taking;
      else if ('closed' in said) this.#hold(this.#held - said.closed);
      else this.#answered(said);
    });
    child.on('internalMessage', ({ cmd }: { readonly cmd?: string }) => {
      const [oldest] = this.#offers.keys();
      if (cmd === LOST && oldest !== undefined) this.#settle(oldest, { is_taken: false });
    });
    // Its last messages are still in the channel, and are read before that.
    child.once('exit', () => setImmediate(() => this.#end()));
  }

  /** Whether the child should have a connection that begins so; undefined where more bytes are needed to decide. */
  wants(first: Buffer): boolean | undefined {
    if (!this.#is_taking || this.#offers.size >= MAX_OFFERS) return false;
    const needed = METHOD_BYTES + this.#path.length;
    const line = first.toString('latin1', 0, needed);
    if (line.length < needed && !line.includes('\n')) return undefined;
    return line.split(' ', 2)[1]?.startsWith(this.#path) === true;
  }

  offer(offer: Offer): void {
    const { socket, first } = offer;
    const id = ++this.#last_id;
    this.#offers.set(id, { ...offer, readOn: stopReading(socket) });
    // Node would ask the child about its connections when this server closes, and wait forever where there is no
    // child.
    Object.assign(socket, { server: undefined });
    const message: HandedConnection = { id, first };
    // Kept open here, so that it still exists if the child ends before it takes it.
    this.#child?.send(message, socket, { keepOpen: true }, (error) => {
      if (error !== null) this.#settle(id, { is_taken: false });
    });
  }

  /** The child answers in order: earlier offers that are still open have not reached it. */
  #answered({ id, is_taken }: Extract<HandedAnswer, { id: number }>): void {
    for (const before of this.#offers.keys()) if (before < id) this.#settle(before, { is_taken: false });
    this.#settle(id, { is_taken });
  }

  #settle(id: number, { is_taken }: { readonly is_taken: boolean }): void {
    const offer = this.#offers.get(id);
    if (offer === undefined) return;
    this.#offers.delete(id);
    if (is_taken) {
      this.#hold(this.#held + 1);
      offer.socket.destroy();
    } else {
      offer.readOn();
      offer.keep();
    }
  }

  #end(): void {
    this.#child = undefined;
    this.#is_taking = false;
    this.#hold(0);
    for (const id of this.#offers.keys()) this.#settle(id, { is_taken: false });
  }

  #hold(held: number): void {
    this.#held = held;
    this.onHeld(held);
  }
}
