import type { IncomingMessage } from 'node:http';
import { ELSEWHERE_HEADER } from '@roadstead/contracts';
import { toResponse } from '../answers/dialects.ts';
import { refuseUpgrade } from '../connections/upgraded-sockets.ts';
import { type Caller, createCaller, type ProxyPlace, sentRequest, sentUpgrade } from './caller.ts';
import { answerAway, away, pass, passUpgrade } from './exchange.ts';
import type { Proxy } from './proxy.ts';

/** Where a request goes. */
export interface FoundTarget {
  readonly at: ProxyPlace;
  /** Headers that are added. */
  readonly inward?: Record<string, string>;
}

/** Finds where requests go, which can move. */
export interface TargetFinder {
  /** Undefined where there is nowhere to go. */
  find(incoming: IncomingMessage): Promise<FoundTarget | undefined>;
  /** The same, knowing that what was found last has it no more, or refuses connections. Waits a moment where it finds the same. */
  findAgain(incoming: IncomingMessage): Promise<FoundTarget | undefined>;
}

/**
 * As `createProxy`, each request to where it is found. What a target has no more is sent on to where it is then, as long as the body
 * is still kept and patience lasts.
 */
export function createRoutedProxy({
  name,
  finder,
}: {
  readonly name: string;
  readonly finder: TargetFinder;
}): Proxy {
  const callers = new Map<string, Caller>();
  const callerOf = (at: ProxyPlace): Caller => {
    const key = 'socket' in at ? at.socket : at.url;
    const known = callers.get(key) ?? createCaller(at);
    callers.set(key, known);
    return known;
  };
  const moves = (incoming: IncomingMessage, first: FoundTarget) => {
    let target = first;
    return {
      target: () => target,
      elsewhere: (answer: IncomingMessage) =>
        answer.headers[ELSEWHERE_HEADER] === undefined ? undefined : lookAgain(),
      onRefused: () => void lookAgain(),
    };
    async function lookAgain(): Promise<void> {
      target = (await finder.findAgain(incoming).catch(() => undefined)) ?? target;
    }
  };
  const unfound = Object.assign(new Error('Nothing answers there.'), { code: 'ECONNREFUSED' });
  return {
    pass: (incoming, { outgoing, inward = {} }) => {
      const onAway = (error: NodeJS.ErrnoException) => answerAway({ outgoing, name, error });
      finder.find(incoming).then(
        (found) => {
          if (outgoing.closed) return;
          if (found === undefined) return onAway(unfound);
          const { target, ...moving } = moves(incoming, found);
          const ask = (on_kept_connection: boolean) => {
            const { at, inward: own = {} } = target();
            return callerOf(at).ask(sentRequest(incoming, { ...inward, ...own }), on_kept_connection);
          };
          pass({ incoming, outgoing, ask, onAway, ...moving });
        },
        () => onAway(unfound),
      );
    },
    upgrade: (incoming, connection) => {
      const { socket } = connection;
      socket.on('error', () => socket.destroy());
      const refuse = () => void refuseUpgrade(socket, toResponse(away(name), 'detail'));
      finder.find(incoming).then((found) => {
        if (socket.destroyed) return;
        if (found === undefined) return refuse();
        const { target, ...moving } = moves(incoming, found);
        const ask = () => {
          const { at, inward } = target();
          return callerOf(at).ask(sentUpgrade(incoming, inward), false);
        };
        passUpgrade(ask, { ...connection, name, ...moving });
      }, refuse);
    },
    [Symbol.dispose]: () => {
      for (const caller of callers.values()) caller[Symbol.dispose]();
    },
  };
}
