import type { Socket } from 'node:net';
import type { Beginning } from './connection-beginning.ts';
import type { HandedConnection, HandedAnswer } from './hand-off.ts';

/** The channel to the process that started us. */
export type ParentChannel = Pick<NodeJS.Process, 'channel' | 'on' | 'send'>;

/** Connections that closed within this time are reported together. */
const TOLD_AFTER_MS = 20;

/**
 * Takes over the connections that our parent hands on (`hand-off.ts`), until it is disposed; later ones it returns.
 * The channel keeps no process from ending.
 */
export function takeHanded(parent: ParentChannel, take: (beginning: Beginning) => void): Disposable {
  let is_taking = true;
  let closed = 0;
  // A parent that has gone hears nothing, and we end by its pipe.
  const tell = (answer: HandedAnswer, then: (error: Error | null) => void = () => undefined) =>
    parent.send?.(answer, undefined, undefined, then);
  const onClosed = () => {
    closed += 1;
    if (closed > 1) return;
    setTimeout(() => {
      tell({ closed });
      closed = 0;
    }, TOLD_AFTER_MS).unref();
  };
  const answer = ({ id, first }: HandedConnection, socket: Socket | undefined) => {
    const is_taken = is_taking && socket !== undefined;
    if (is_taken) {
      socket.allowHalfOpen = true;
      // The client may be gone before the parent has heard of it.
      socket.once('close', onClosed).on('error', () => undefined);
    } else socket?.destroy();
    tell({ id, is_taken }, (error) => {
      if (!is_taken) return;
      // A parent that got no answer serves the connection itself.
      if (error === null) take({ socket, first: Buffer.from(first) });
      else socket.destroy();
    });
  };
  parent.on('message', (message, socket) =>
    answer(message as HandedConnection, socket as Socket | undefined),
  );
  parent.channel?.unref();
  tell({ taking: true });
  return {
    [Symbol.dispose]: () => {
      is_taking = false;
      tell({ taking: false });
    },
  };
}
