import { checksOfEngine, checksOfHosts } from '../frame-checks.ts';
import { Peer, type PeerHandlers, type PeerTransport } from '../peer.ts';
import type { EngineCalls, HostCalls, HostTells } from '../protocol.ts';
import type { NoTells } from '../questions.ts';

export type HostPeer = Peer<HostCalls, HostTells, EngineCalls, NoTells>;
export type EnginePeer = Peer<EngineCalls, NoTells, HostCalls, HostTells>;

/** The side of a host, to which nobody has a question unless a test says what becomes of it. */
export function hostPeer(
  transport: PeerTransport,
  handlers: Partial<PeerHandlers<HostCalls, EngineCalls, NoTells>> = {},
): HostPeer {
  return new Peer(transport, {
    checks: checksOfEngine,
    malformed: 'answer',
    ask: () => Promise.reject(new Error('asked')),
    tell: () => undefined,
    ...handlers,
  });
}

/** The side of an engine, which takes what a host tells unless a test says what becomes of it. */
export function enginePeer(
  transport: PeerTransport,
  handlers: Partial<PeerHandlers<EngineCalls, HostCalls, HostTells>> = {},
): EnginePeer {
  return new Peer(transport, {
    checks: checksOfHosts,
    malformed: 'throw',
    ask: () => Promise.reject(new Error('asked')),
    tell: () => undefined,
    ...handlers,
  });
}
