import type { Addresses } from '../calls/call.ts';

/** A server that has both projects. */
export interface ComparedServer extends AsyncDisposable {
  readonly addresses: Addresses;
}
