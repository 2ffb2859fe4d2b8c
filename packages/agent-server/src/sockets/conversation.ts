import { on } from 'node:events';
import { joined, lineSafe, lineSafeBytes } from '@roadstead/kit';
import type { WebSocket } from 'ws';
import type { JsonText } from '../json/json-text.ts';

/** A WebSocket as what comes and what goes. */
export class Conversation {
  readonly #socket: WebSocket;
  readonly #gone = new AbortController();

  constructor(socket: WebSocket) {
    this.#socket = socket;
    // It is closed after that; there is nobody to be told.
    socket.on('error', () => undefined).once('close', () => this.#gone.abort());
  }

  /** Aborted when it is over. */
  get signal(): AbortSignal {
    return this.#gone.signal;
  }

  /** Messages as they come, each read only once the one before has been dealt with; ends when it is over. */
  async *messages(): AsyncGenerator<Buffer> {
    const coming = on(this.#socket, 'message', { signal: this.signal, highWaterMark: 1, lowWaterMark: 1 });
    try {
      for await (const [message] of coming) yield message as Buffer;
    } catch {
      // It is over, or the client has broken the protocol, which ends it.
    }
  }

  /** Resolves once there is room for more, so that nothing piles up for a slow client; also when it is over. */
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
