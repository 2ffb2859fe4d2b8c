import type { Socket } from 'node:net';
import { endWhole } from './upgraded-sockets.ts';

/** A connection, and the bytes read from it so far. */
export interface Beginning {
  readonly socket: Socket;
  readonly first: Buffer;
}

export interface ReadBeginning<Told> {
  /** Decides from the first bytes; undefined where more of them are needed. */
  readonly tell: (first: Buffer) => Told | undefined;
  /** A client that sends too little for this long is answered like one whose headers don't come. */
  readonly within_ms: number;
  readonly onTold: (beginning: Beginning, told: Told) => void;
}

const TOO_SLOW = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n';
const CUT_OFF = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n';

/** Reads a connection until its bytes allow a decision. */
export function readBeginning<Told>(socket: Socket, { tell, within_ms, onTold }: ReadBeginning<Told>): void {
  let first: Buffer = Buffer.alloc(0);
  const take = (bytes: Buffer) => {
    first = first.length === 0 ? bytes : Buffer.concat([first, bytes]);
    const told = tell(first);
    if (told === undefined) return;
    stop();
    onTold({ socket, first }, told);
  };
  const refuse = (answer: string) => {
    stop();
    endWhole(socket);
    socket.end(answer);
  };
  const onEnd = () => refuse(first.length === 0 ? '' : CUT_OFF);
  const timer = setTimeout(() => refuse(TOO_SLOW), within_ms);
  const stop = () => {
    clearTimeout(timer);
    socket.off('data', take).off('end', onEnd).off('close', stop);
  };
  // A client that has gone needs no answer; without a listener its error would end the process.
  socket.on('error', () => undefined);
  socket.on('data', take).on('end', onEnd).on('close', stop);
}

interface Readable {
  readonly _handle?: { readStart(): void; readStop(): void } | null;
}

/**
 * Leaves incoming bytes in the kernel for another process to read, until the returned function is called. Node has no
 * public way: a paused stream is still read until its buffer is full.
 */
export function stopReading(socket: Socket): () => void {
  const { _handle: handle } = socket as Readable;
  handle?.readStop();
  return () => {
    if (!socket.destroyed) handle?.readStart();
  };
}

/** Serves a connection as if nothing had been read from it. */
export function serveBeginning({ socket, first }: Beginning, serve: (socket: Socket) => void): void {
  if (socket.destroyed) return;
  socket.pause();
  socket.unshift(first);
  serve(socket);
  socket.resume();
}
