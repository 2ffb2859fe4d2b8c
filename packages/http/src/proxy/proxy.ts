import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { createCaller, type ProxyPlace, sentRequest, sentUpgrade } from './caller.ts';
import { answerAway, pass, passUpgrade } from './exchange.ts';

/** Where requests go, and its name in errors. */
export interface ProxyTarget {
  readonly name: string;
  readonly at: ProxyPlace;
}

/** Pipes requests through without parsing their bodies. */
export interface Proxy extends Disposable {
  /** @param inward headers that are added. */
  pass(
    incoming: IncomingMessage,
    exchange: { outgoing: ServerResponse; inward?: Record<string, string> },
  ): void;
  /** The same for a WebSocket request, and for the traffic on it. */
  upgrade(incoming: IncomingMessage, connection: { socket: Duplex; head: Buffer }): void;
}

export function createProxy({ name, at }: ProxyTarget): Proxy {
  const caller = createCaller(at);
  return {
    pass: (incoming, { outgoing, inward = {} }) => {
      const sent = sentRequest(incoming, inward);
      const ask = (on_kept_connection: boolean) => caller.ask(sent, on_kept_connection);
      pass({ incoming, outgoing, ask, onAway: (error) => answerAway({ outgoing, name, error }) });
    },
    upgrade: (incoming, connection) => {
      const sent = sentUpgrade(incoming);
      passUpgrade(() => caller.ask(sent, false), { ...connection, name });
    },
    [Symbol.dispose]: () => caller[Symbol.dispose](),
  };
}
