import { eventFrame, eventStream, HEARTBEAT_MS } from '@roadstead/http';
import { isOutage, type Log } from '@roadstead/kit';

/** Streams items with an id as server-sent events, until the client goes or we stop. */

interface StreamItem {
  readonly id: string;
}

/** @param follow reads items until its signal aborts. */
export function streamAnswer<Item extends StreamItem>(
  { stopping, log }: { readonly stopping: AbortSignal; readonly log: Log },
  follow: (signal: AbortSignal) => AsyncIterable<Item>,
): Response {
  const gone = new AbortController();
  async function* frames() {
    try {
      for await (const item of follow(AbortSignal.any([gone.signal, stopping])))
        yield eventFrame(JSON.stringify(item), item.id);
    } catch (error) {
      // The client comes back with Last-Event-ID.
      if (!isOutage(error)) log.error('a stream of events ended', { error });
    }
  }
  return eventStream(frames(), { heartbeat_ms: HEARTBEAT_MS, onCancel: () => gone.abort() });
}

/** Whether a client asks for a stream in particular; one that takes both gets JSON. */
export function asksForStream({ headers }: Request): boolean {
  const accept = (headers.get('accept') ?? '').toLowerCase();
  return accept.includes('text/event-stream') && !accept.includes('json');
}
