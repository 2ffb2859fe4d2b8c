import type { PeerTransport } from '@roadstead/contracts/host-peer';

/** Keeps what is written until there is a transport for it; where none comes, nobody hears of it. */
export function lateTransport(transport: Promise<PeerTransport>): PeerTransport {
  const waiting: Uint8Array[] = [];
  let present: PeerTransport = { write: (frame) => void waiting.push(frame) };
  transport.then(
    (found) => {
      present = found;
      for (const frame of waiting.splice(0)) found.write(frame);
    },
    () => undefined,
  );
  return { write: (frame) => present.write(frame) };
}
