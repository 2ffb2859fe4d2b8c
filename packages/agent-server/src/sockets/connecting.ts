import type { Duplex } from 'node:stream';
import type { CallerContext } from '@roadstead/kit';

/** A connection on which a client asks for a WebSocket. */
export interface Connecting {
  readonly socket: Duplex;
  /** What has come already of what follows the request. */
  readonly head: Buffer;
  /** What the edge says of who calls, by now: it is asked for each command anew. */
  readonly inward: () => Promise<CallerContext>;
}
