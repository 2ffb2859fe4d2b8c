import type { IncomingMessage } from 'node:http';
import { Admission, HEARTBEAT_MS, type Owner, Problem } from '@roadstead/kit';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Connecting } from './connecting.ts';
import { Conversation } from './conversation.ts';

/** What is larger would hold the event loop while it is unmasked. */
const MAX_MESSAGE_BYTES = 8_388_608;
/** In which a message of that size comes in, from clients that write by the packet. */
const MAX_PIECES = 16_384;
const MAX_FRAGMENTS = 1024;
/** What a piece takes in memory beside its bytes. */
const PIECE_BYTES = 256;
/** Of a ping or a pong, beside what it says. */
const CONTROL_BYTES = 6;
/**
 * Messages that have not come in whole, on all connections of all deployments together: half of them are of one workspace,
 * a quarter of one caller. Where there is no room, the connection that holds most is closed, of the caller that holds most.
 */
const MAX_UNFINISHED_BYTES = 268_435_456;
/** In which a connection that has to end says so. */
const CLOSING_MS = 1000;
/** A client that has answered so many pings in a row with nothing is gone. */
const MAX_MISSED = 8;

const CLOSES = { restart: 1012, later: 1013 } as const;

export const unfinishedMessages = () => new Admission({ size: MAX_UNFINISHED_BYTES });
const unfinished = unfinishedMessages();

interface WebSocketsOptions {
  readonly heartbeat_ms?: number | undefined;
  /** What bounds unfinished messages; that of the process, unless said. */
  readonly unfinished?: Admission | undefined;
}

interface Accepting extends Pick<Connecting, 'socket' | 'head'> {
  /** Whose unfinished messages these are: a workspace, and a caller of it. */
  readonly owner: readonly [workspace_id: string, caller: string];
  readonly onOpen: (conversation: Conversation) => void;
}

/** The open WebSockets of a deployment. Disposing ends them, with a word to come back. */
export class WebSockets implements Disposable {
  readonly #heartbeat_ms: number;
  readonly #unfinished: Admission;
  readonly #open = new Set<Conversation>();
  #stopped = false;
  readonly #server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
    maxFragments: MAX_FRAGMENTS,
    maxBufferedChunks: MAX_PIECES,
  });

  constructor({ heartbeat_ms = HEARTBEAT_MS, ...options }: WebSocketsOptions = {}) {
    this.#heartbeat_ms = heartbeat_ms;
    this.#unfinished = options.unfinished ?? unfinished;
  }

  /**
   * What does not keep to the protocol is answered, and nobody is told.
   * @throws Problem `unavailable` once they are disposed of
   */
  accept(request: IncomingMessage, { socket, head, owner, onOpen }: Accepting): void {
    if (this.#stopped)
      throw new Problem('unavailable', 'The agent server stops; come back.', { retry_after_s: 2 });
    this.#server.handleUpgrade(request, socket, head, (opened) => {
      const conversation = new Conversation(opened);
      this.#open.add(conversation);
      opened.once('close', () => this.#open.delete(conversation));
      this.#bound(opened, socket, owner);
      this.#keep(opened);
      onOpen(conversation);
    });
  }

  [Symbol.dispose](): void {
    this.#stopped = true;
    for (const open of this.#open) open.close(CLOSES.restart, 'The agent server stops; come back.');
  }

  /** Messages come in pieces, which are in memory until they are whole. */
  #bound(opened: WebSocket, socket: Connecting['socket'], owner: Owner): void {
    const connection = crypto.randomUUID();
    const end = () => {
      opened.close(CLOSES.later, 'Too much is being sent at once.');
      setTimeout(() => opened.terminate(), CLOSING_MS).unref();
    };
    const enter = () => this.#unfinished.enter([...owner, connection], { onEvicted: end });
    let place = enter();
    let overhead = 0;
    const isOpen = () => opened.readyState === opened.OPEN;
    // Before it is read, so that what is complete by it counts no more.
    socket.prependListener('data', (piece: Buffer) => {
      overhead = PIECE_BYTES;
      if (isOpen() && !place.tryHold(place.held + piece.length + overhead)) end();
    });
    const onControl = ({ length }: Buffer) => {
      if (isOpen()) place.tryHold(Math.max(0, place.held - CONTROL_BYTES - length - overhead));
      overhead = 0;
    };
    opened.on('ping', onControl).on('pong', onControl);
    opened.on('message', () => {
      place[Symbol.dispose]();
      place = enter();
    });
    opened.once('close', () => place[Symbol.dispose]());
  }

  /** Nothing in between ends it for silence, and it ends when the client has gone without a word. */
  #keep(opened: WebSocket): void {
    let missed = 0;
    opened.on('pong', () => (missed = 0));
    const timer = setInterval(() => {
      if (opened.isPaused) return;
      if (++missed > MAX_MISSED) opened.terminate();
      else opened.ping();
    }, this.#heartbeat_ms);
    opened.once('close', () => clearInterval(timer));
  }
}
