import { ADDRESS_HEADER, ASSERTION_HEADER, ELSEWHERE_HEADER, REFUSAL_HEADER } from '@roadstead/contracts';

/** Decides which headers a proxy passes on, and which belong to a single connection (RFC 9110 7.6.1). */

const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Headers that only the edge may set. */
const OF_THE_EDGE: ReadonlySet<string> = new Set([ADDRESS_HEADER, ASSERTION_HEADER, REFUSAL_HEADER]);

/** The headers of a connection that speaks WebSocket from here on. */
export const UPGRADE: readonly string[] = ['Connection', 'Upgrade', 'Upgrade', 'websocket'];

type RawHeaders = readonly string[];

/** The names that the Connection header lists, and those that are hop-by-hop in any case. */
function hopByHop(raw: RawHeaders): (name: string) => boolean {
  const listed = pairsOf(raw)
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(','))
    // Naming the body's length in Connection must not remove it.
    .filter((name) => name.trim().toLowerCase() !== 'content-length')
    .map((name) => name.trim().toLowerCase());
  return (name) => HOP_BY_HOP.has(name.toLowerCase()) || listed.includes(name.toLowerCase());
}

/** The headers of an answer, for the connection to the caller. */
export function answerHeaders(raw: RawHeaders): string[] {
  const isHopByHop = hopByHop(raw);
  return pairsOf(raw)
    .filter(([name]) => !isHopByHop(name) && name.toLowerCase() !== ELSEWHERE_HEADER)
    .flat();
}

/**
 * The headers of a request from outside, for the connection to the other side: without those that only the edge may
 * set, and with new framing, since a body of unknown length has to be chunked for any method.
 */
export function requestHeaders(raw: RawHeaders): string[] {
  const isHopByHop = hopByHop(raw);
  const isChunked = pairsOf(raw).some(([name]) => name.toLowerCase() === 'transfer-encoding');
  const kept = pairsOf(raw).filter(
    // The server has answered an Expect already.
    ([name]) => !isHopByHop(name) && name.toLowerCase() !== 'expect' && !OF_THE_EDGE.has(name.toLowerCase()),
  );
  return [...kept.flat(), ...(isChunked ? ['Transfer-Encoding', 'chunked'] : [])];
}

function pairsOf(raw: RawHeaders): [string, string][] {
  return Array.from({ length: raw.length / 2 }, (_, at) => [raw[2 * at] ?? '', raw[2 * at + 1] ?? '']);
}
