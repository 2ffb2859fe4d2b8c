import type { Socket } from 'node:net';
import { endWhole } from './upgraded-sockets.ts';

/** A connection, and what was read of it by now. */
export interface Beginning {
  readonly socket: Socket;
  readonly first: Buffer;
}

export interface ReadBeginning<Told> {
  /** What the bytes tell; undefined where more of them are needed. */
  readonly tell: (first: Buffer) => Told | undefined;
  /** A client that says too little for so long is answered as one whose headers don't come. */
  readonly within_ms: number;
  readonly onTold: (beginning: Beginning, told: Told) => void;
}

const TOO_SLOW = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n';
const CUT_OFF = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n';

/** Reads a connection until its bytes tell what is asked. */
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
  // Of a client that has gone there is nothing to tell; without a listener the error would end the process.
  socket.on('error', () => undefined);
  socket.on('data', take).on('end', onEnd).on('close', stop);
}

interface Readable {
  readonly _handle?: { readStart(): void; readStop(): void } | null;
}

/**
 * Leaves what comes to the kernel, for another process to read, until the function that it gives is called. Node has no
 * public way: a stream that is paused is still read until its buffer is full.
 */
export function stopReading(socket: Socket): () => void {
  const { _handle: handle } = socket as Readable;
  handle?.readStop();
  return () => {
    if (!socket.destroyed) handle?.readStart();
  };
}

/** Has a connection served as if nothing had been read of it. */
export function serveBeginning({ socket, first }: Beginning, serve: (socket: Socket) => void): void {
  if (socket.destroyed) return;
  socket.pause();
  socket.unshift(first);
  serve(socket);
  socket.resume();
}
