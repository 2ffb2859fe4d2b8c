import { on } from 'node:events';
import { lineSafeBytes } from '@roadstead/json';
import { joined, lineSafe } from '@roadstead/kit';
import type { WebSocket } from 'ws';
import type { JsonText } from '../json/json-text.ts';

/** A WebSocket as an iterable of messages and a way to send. */
export class Conversation {
  readonly #socket: WebSocket;
  readonly #gone = new AbortController();

  constructor(socket: WebSocket) {
    this.#socket = socket;
    // It is closed after an error; nobody needs to know.
    socket.on('error', () => undefined).once('close', () => this.#gone.abort());
  }

  /** Aborted when the connection is closed. */
  get signal(): AbortSignal {
    return this.#gone.signal;
  }

  /** Messages as they come, each read only once the one before has been handled; ends when the connection is closed. */
  async *messages(): AsyncGenerator<Buffer> {
    const coming = on(this.#socket, 'message', { signal: this.signal, highWaterMark: 1, lowWaterMark: 1 });
    try {
      for await (const [message] of coming) yield message as Buffer;
    } catch {
      // The connection is closed, or the client has broken the protocol, which closes it.
    }
  }

  /**
   * Sends a text; resolves once more may be sent, so that nothing piles up for a slow client, or when the connection is
   * closed.
   */
  async send(text: JsonText): Promise<void> {
    const data = typeof text === 'string' ? lineSafe(text) : await joined(await lineSafeBytes(text));
    await new Promise<void>((resolve) => {
      this.#socket.send(data, { binary: false }, () => resolve());
    });
  }

  /** @param code one of WebSocket's own, which say why */
  close(code: number, reason: string): void {
    this.#gone.abort();
    this.#socket.close(code, reason);
  }
}
