import type { IncomingMessage } from 'node:http';
import { HEARTBEAT_MS } from '@roadstead/http';
import { Admission, type Owner, Problem } from '@roadstead/kit';
import { type WebSocket, WebSocketServer } from 'ws';
import type { UpgradeRequest } from './upgrade-request.ts';
import { Conversation } from './conversation.ts';

/** Unmasking a larger message would hold the event loop. */
const MAX_MESSAGE_BYTES = 8_388_608;
/** The pieces of a message of that size, from clients that write by the packet. */
const MAX_PIECES = 16_384;
const MAX_FRAGMENTS = 1024;
/** The memory of a piece beside its bytes. */
const PIECE_BYTES = 256;
/** The bytes of a ping or a pong beside its content. */
const CONTROL_BYTES = 6;
/**
 * Bounds the incomplete messages on all connections of all deployments: half of them are of one workspace, a quarter of
 * one caller. When full, the largest connection of the caller that holds most is closed.
 */
const MAX_UNFINISHED_BYTES = 268_435_456;
/** How long a connection that has to end may take to say so. */
const CLOSING_MS = 1000;
/** The pings in a row after which a client that has answered nothing is gone. */
const MAX_MISSED = 8;

const CLOSES = { restart: 1012, later: 1013 } as const;

export const unfinishedMessages = () => new Admission({ size: MAX_UNFINISHED_BYTES });
const unfinished = unfinishedMessages();

interface WebSocketsOptions {
  readonly heartbeat_ms?: number | undefined;
  /** Bounds incomplete messages; the process's own by default. */
  readonly unfinished?: Admission | undefined;
}

interface AcceptOptions extends Pick<UpgradeRequest, 'socket' | 'head'> {
  /** The owner of the incomplete messages: a workspace, and a caller of it. */
  readonly owner: readonly [workspace_id: string, caller: string];
  readonly onOpen: (conversation: Conversation) => void;
}

/** The open WebSockets of a deployment. Disposing closes them and asks clients to reconnect. */
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
   * Accepts a WebSocket; a request that breaks the protocol is answered here.
   * @throws Problem `unavailable` once they are disposed of
   */
  accept(request: IncomingMessage, { socket, head, owner, onOpen }: AcceptOptions): void {
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

  /** Bounds the pieces of messages, which are in memory until a message is complete. */
  #bound(opened: WebSocket, socket: UpgradeRequest['socket'], owner: Owner): void {
    const connection = crypto.randomUUID();
    const end = () => {
      opened.close(CLOSES.later, 'Too much is being sent at once.');
      setTimeout(() => opened.terminate(), CLOSING_MS).unref();
    };
    const enter = () => this.#unfinished.enter([...owner, connection], { onEvicted: end });
    let place = enter();
    let overhead = 0;
    const isOpen = () => opened.readyState === opened.OPEN;
    // Before it is read, so that messages which it completes no longer count.
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

  /**
   * Sends pings, so that no proxy closes a silent connection, and closes it when the client has gone without a word.
   */
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
