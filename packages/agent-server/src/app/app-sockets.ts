import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { NOT_SERVED_HEADER } from '@roadstead/contracts/host-peer';
import { Problem } from '@roadstead/kit';
import type { AppSocket } from '../hosts/host-http.ts';
import type { BorrowedHost } from '../hosts/revision-hosts.ts';
import { acceptance, keyOf } from '../sockets/handshake.ts';
import { readUpTo } from './read-up-to.ts';
import type { UpgradeRequest } from '../sockets/upgrade-request.ts';

/** How long the ends of a WebSocket may take to close it. */
const CLOSING_MS = 1000;
/** The longest body that is passed on of an app's refusal. */
const MAX_REFUSAL_BYTES = 65_536;

interface AcceptOptions extends Pick<UpgradeRequest, 'socket' | 'head'> {
  /** Makes the request as the app sees it, which is aborted by the signal. */
  readonly request: (signal: AbortSignal) => Request;
  readonly borrow: () => Promise<BorrowedHost>;
}

/**
 * The open WebSockets of the project's own app. Its host speaks them; here their bytes pass, no faster than either end
 * reads. Disposing lets the host close them, and tells clients to come back.
 */
export class AppSockets implements Disposable {
  readonly #open = new Map<Duplex, Duplex>();
  #stopped = false;

  /**
   * Asks the app; answers how it refuses, where it does.
   * @throws Problem `not_found` where it has nothing there, `unavailable`, `not_implemented` or `malformed`
   */
  async accept(
    incoming: IncomingMessage,
    { socket, head, request, borrow }: AcceptOptions,
  ): Promise<Response | undefined> {
    const key = keyOf(incoming.headers);
    const gone = new AbortController();
    const abort = () => gone.abort();
    socket.once('close', abort);
    this.#requireServing();
    if (socket.destroyed) return undefined;
    const host = await borrow();
    const giveBack = () => host[Symbol.dispose]();
    const asked = request(gone.signal);
    const answered = await host.process.connect(asked, giveBack).catch((error: unknown) => {
      giveBack();
      throw error;
    });
    if (answered instanceof Response) return refusalOf(answered, new URL(asked.url).pathname);
    socket.off('close', abort);
    if (this.#stopped) answered.stream.destroy();
    this.#requireServing();
    this.#join(socket, answered, { key, head });
    return undefined;
  }

  [Symbol.dispose](): void {
    this.#stopped = true;
    for (const [stream, socket] of this.#open) {
      // The host closes a WebSocket of which nothing more comes.
      socket.unpipe(stream).resume();
      stream.end();
      setTimeout(() => stream.destroy(), CLOSING_MS).unref();
    }
  }

  #requireServing(): void {
    if (this.#stopped)
      throw new Problem('unavailable', 'The agent server stops; come back.', { retry_after_s: 2 });
  }

  // oxlint-disable-next-line roadstead/two-positional -- the two ends, and how they begin
  #join(
    socket: Duplex,
    { stream, subprotocol }: AppSocket,
    { key, head }: { readonly key: string; readonly head: Buffer },
  ): void {
    if (socket.destroyed) return void stream.destroy();
    this.#open.set(stream, socket);
    socket.on('error', () => undefined).once('close', () => stream.destroy());
    stream
      .on('error', () => undefined)
      .once('close', () => {
        this.#open.delete(stream);
        endSoon(socket, { isWhole: stream.readableEnded });
      });
    socket.write(acceptance(key, subprotocol));
    if (head.length > 0) stream.write(head);
    socket.pipe(stream).pipe(socket);
  }
}

/** Ends a connection after its last frame; a client that answers that late must not be cut off before it has read it. */
function endSoon(socket: Duplex, { isWhole }: { readonly isWhole: boolean }): void {
  if (!isWhole || socket.destroyed) return void socket.destroy();
  socket.once('end', () => socket.destroy()).resume();
  socket.end();
  setTimeout(() => socket.destroy(), CLOSING_MS).unref();
}

/** An app may refuse with a body of any length. */
async function refusalOf({ status, headers, body }: Response, path: string): Promise<Response> {
  if (headers.has(NOT_SERVED_HEADER)) {
    await body?.cancel();
    throw new Problem('not_found', `No WebSocket is served at ${path}.`);
  }
  if (body === null) return new Response(null, { status, headers });
  headers.delete('content-length');
  return new Response((await readUpTo(body, MAX_REFUSAL_BYTES)).bytes, { status, headers });
}
