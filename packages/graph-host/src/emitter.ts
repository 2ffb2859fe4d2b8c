import type { AttemptRef, HostEvent } from '@roadstead/contracts/host';
import { JsonBytes } from '@roadstead/contracts/host-peer';
import { jsonOf } from './dict-json.ts';
import type { HostPeer } from './saver.ts';

const MERGE_MS = 10;
/** What waits is told at once from here on, so that a frame stays far below its limit. */
const MAX_WAITING = 1_000_000;
/** An event that is longer is a mistake of the graph, and ends its run. */
const MAX_EVENT = 32_000_000;
const encoder = new TextEncoder();

export interface Emitter {
  add(events: readonly HostEvent[]): void;
  flush(): void;
}

/**
 * Tells the engine what happens in a run: the first events at once, later ones together, since a frame per token would cost
 * more than the token. Events are written when they happen, because the graph may change their values a moment later.
 */
export function createEmitter(peer: HostPeer, { run_id, attempt }: AttemptRef): Emitter {
  const head = JSON.stringify({ run_id, attempt }).slice(0, -1);
  let waiting: string[] = [];
  let length = 0;
  let timer: NodeJS.Timeout | undefined;
  let emitted = false;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (waiting.length === 0) return;
    peer.tell('emit', new JsonBytes([encoder.encode(`${head},"events":[${waiting.join(',')}]}`)]));
    emitted = true;
    waiting = [];
    length = 0;
  };
  return {
    flush,
    add(events) {
      for (const event of events) {
        const text = event.kind === 'stream' ? jsonOf(event) : JSON.stringify(event);
        if (text.length > MAX_EVENT) throw new Error(tooLong(event));
        waiting.push(text);
        length += text.length;
      }
      if (waiting.length === 0) return;
      if (!emitted || length > MAX_WAITING) flush();
      else timer ??= setTimeout(flush, MERGE_MS);
    },
  };
}

const tooLong = (event: HostEvent) =>
  `What the graph streamed as "${event.kind === 'stream' ? event.event : event.kind}" is longer than ${MAX_EVENT / 1_000_000} MB.`;
