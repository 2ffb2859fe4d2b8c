import type { Socket } from 'node:net';
import type { Beginning } from './connection-beginning.ts';
import type { HandedConnection, HandedAnswer } from './hand-off.ts';

/** The channel to the process that started us. */
export type ParentChannel = Pick<NodeJS.Process, 'channel' | 'on' | 'send'>;

/** Those that closed within this time are told together. */
const TOLD_AFTER_MS = 20;

/**
 * Takes the connections over that our parent hands on (`hand-off.ts`), until it is disposed; later ones it gives back. The channel keeps no
 * process from ending.
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
      // Its client may be gone before the parent has heard.
      socket.once('close', onClosed).on('error', () => undefined);
    } else socket?.destroy();
    tell({ id, is_taken }, (error) => {
      if (!is_taken) return;
      // A parent that was not told serves it itself.
      if (error === null) take({ socket, first: Buffer.from(first) });
      else socket.destroy();
    });
  };
  parent.on('message', (message, socket) => answer(message as HandedConnection, socket as Socket | undefined));
  parent.channel?.unref();
  tell({ taking: true });
  return {
    [Symbol.dispose]: () => {
      is_taking = false;
      tell({ taking: false });
    },
  };
}
