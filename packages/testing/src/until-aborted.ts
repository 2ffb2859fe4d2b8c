import { once } from 'node:events';

/** Rejects with the reason of the signal once it is aborted, as a request does that nobody answers, also where it is already. */
export async function untilAborted(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort');
  throw signal.reason;
}
