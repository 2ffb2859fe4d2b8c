import type { IncomingMessage } from 'node:http';
import { ByteBudget, HEARTBEAT_MS, Problem } from '@roadstead/kit';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Connecting } from './connecting.ts';
import { Conversation } from './conversation.ts';

/** What is larger would hold the event loop while it is unmasked. */
const MAX_MESSAGE_BYTES = 8_388_608;
/** Of messages that have not come in whole, on all connections together. */
const MAX_HELD_BYTES = 104_857_600;
/** A client that has answered so many pings in a row with nothing is gone. */
const MAX_MISSED = 8;

const CLOSES = { restart: 1012, later: 1013 } as const;

/** The open WebSockets of a deployment. Disposing ends them, with a word to come back. */
export class WebSockets implements Disposable {
  readonly #heartbeat_ms: number;
  readonly #open = new Set<Conversation>();
  #stopped = false;
  readonly #held = new ByteBudget(MAX_HELD_BYTES);
  readonly #server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
  });

  constructor({ heartbeat_ms = HEARTBEAT_MS }: { readonly heartbeat_ms?: number | undefined } = {}) {
    this.#heartbeat_ms = heartbeat_ms;
  }

  /**
   * What does not keep to the protocol is answered, and nobody is told.
   * @throws Problem `unavailable` once they are disposed of
   */
  accept(
    request: IncomingMessage,
    {
      socket,
      head,
      onOpen,
    }: Pick<Connecting, 'socket' | 'head'> & { readonly onOpen: (conversation: Conversation) => void },
  ): void {
    if (this.#stopped)
      throw new Problem('unavailable', 'The agent server stops; come back.', { retry_after_s: 2 });
    this.#server.handleUpgrade(request, socket, head, (opened) => {
      const conversation = new Conversation(opened);
      this.#open.add(conversation);
      opened.once('close', () => this.#open.delete(conversation));
      this.#bound(opened, socket);
      this.#keep(opened);
      onOpen(conversation);
    });
  }

  [Symbol.dispose](): void {
    this.#stopped = true;
    for (const open of this.#open) open.close(CLOSES.restart, 'The agent server stops; come back.');
  }

  /** Messages come in pieces, which are in memory until they are whole. */
  #bound(opened: WebSocket, socket: Connecting['socket']): void {
    let held = this.#held.open('all');
    socket.on('data', (piece: Buffer) => {
      try {
        held.take(piece.length);
      } catch {
        opened.close(CLOSES.later, 'Too much is being sent at once.');
      }
    });
    const release = () => {
      held[Symbol.dispose]();
      held = this.#held.open('all');
    };
    opened.on('message', release).once('close', release);
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
