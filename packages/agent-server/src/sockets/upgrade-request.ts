import type { Duplex } from 'node:stream';
import type { CallerContext } from '@roadstead/http';

/** A connection on which a client requests a WebSocket. */
export interface UpgradeRequest {
  readonly socket: Duplex;
  /** Bytes that have already come after the request. */
  readonly head: Buffer;
  /** The edge's present statement about the caller, read again for each command. */
  readonly inward: () => Promise<CallerContext>;
}
