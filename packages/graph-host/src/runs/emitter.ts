import type { AttemptRef, HostEvent } from '@roadstead/contracts/host';
import { JsonBytes, jsonText, MAX_FRAME_BYTES, MAX_SHARED_PARTS } from '@roadstead/contracts/host-peer';
import { checkEvents } from '../values/checked-peer.ts';
import { jsonOf } from '../values/dict-json.ts';
import type { HostPeer } from '../checkpoints/saver.ts';
import { SharedValues } from './shared-values.ts';
import { soon } from '../values/soon.ts';

/** Events that wait are told at once from this size on, so that a frame stays far below its limit. */
const MAX_WAITING = 1_000_000;
/** After so much the engine is asked for room: it answers once it has written nearly all. */
const MAX_UNASKED = 1_000_000;
/** An event that is longer is a mistake of the graph, and ends its run. */
const MAX_EVENT = 32_000_000;
/** Where its characters take several bytes it must still fit into a frame. */
const MAX_EVENT_BYTES = MAX_FRAME_BYTES - 4 * MAX_WAITING;
/** Fewer events than a frame may hold. */
const CHECKED_AT_ONCE = 10_000;
/** Undefined where there is room. */
export type Room = Promise<void> | undefined;

export interface Emitter {
  /** Answers until when its caller is to say nothing more. */
  add(events: readonly HostEvent[]): Room;
  room(): Room;
  /** Tells everything. */
  end(): Promise<void>;
  /** The first event that could not be told. Callback handlers throw into code that goes on without them. */
  untold(): { readonly error: unknown } | undefined;
}

/**
 * Tells the engine what happens in a run: the first events at once, later ones together, since a frame per token would cost
 * more than the token. Events are written when they happen, because the graph may change their values a moment later. A
 * graph that says more than the engine can write waits for it, unless its run is cancelled.
 */
export function createEmitter(
  peer: HostPeer,
  { run_id, attempt }: AttemptRef,
  { signal }: { readonly signal: AbortSignal },
): Emitter {
  let waiting: string[] = [];
  let length = 0;
  const shared = new SharedValues(MAX_SHARED_PARTS);
  let is_due = false;
  let emitted = false;
  let untold: { readonly error: unknown } | undefined;
  const sender = createSender(peer, {
    head: JSON.stringify({ run_id, attempt }).slice(0, -1),
    signal,
    onLost: (error) => (untold ??= { error }),
    onRoom: () => flush(),
  });
  const full = (): Room => sender.room();
  const flush = () => {
    is_due = false;
    while (waiting.length > 0 && full() === undefined) {
      let size = 0;
      const count = waiting.findIndex((text) => (size += text.length) > MAX_WAITING) + 1;
      const events = waiting.splice(0, count || waiting.length);
      length -= size;
      emitted = true;
      sender.send(events, size);
    }
  };
  return {
    add(events) {
      try {
        for (const text of textsOf(events, shared)) {
          waiting.push(text);
          length += text.length;
        }
      } catch (error) {
        untold ??= { error };
        throw error;
      }
      if (waiting.length > 0) {
        if (!emitted || length > MAX_WAITING) flush();
        else if (!is_due) {
          is_due = true;
          soon(() => is_due && flush());
        }
      }
      return full();
    },
    room: full,
    async end() {
      flush();
      for (let until; (until = full()) !== undefined;) await until;
    },
    untold: () => untold,
  };
}

const nothing = () => undefined;

interface Sender {
  send(events: readonly string[], size: number): void;
  room(): Room;
}

/** Sends frames of events; after much of them it asks for room. */
function createSender(
  peer: HostPeer,
  {
    head,
    signal,
    onLost,
    onRoom,
  }: {
    /** How each frame begins. */
    readonly head: string;
    readonly signal: AbortSignal;
    /** Told of a frame that holds too much, or that the engine does not take. */
    readonly onLost: (error: unknown) => void;
    readonly onRoom: () => void;
  },
): Sender {
  let unasked = 0;
  let room: Room;
  let cancelled: Promise<void> | undefined;
  const tell = (frame: JsonBytes) => {
    try {
      peer.tell('emit', frame);
    } catch (error) {
      onLost(error);
    }
  };
  return {
    room: () => room,
    send(events, size) {
      const frame = new JsonBytes([Buffer.from(`${head},"events":[${events.join(',')}]}`)]);
      unasked += size;
      if (unasked < MAX_UNASKED || signal.aborted) return tell(frame);
      unasked = 0;
      cancelled ??= new Promise((resolve) =>
        signal.addEventListener('abort', () => resolve(), { once: true }),
      );
      // A frame that is not taken loses its events; an engine that has gone needs none.
      const answered = peer.ask('emit', frame).then(nothing, onLost);
      room = Promise.race([answered, cancelled]).then(() => {
        room = undefined;
        onRoom();
      });
    },
  };
}

function textsOf(events: readonly HostEvent[], shared: SharedValues): string[] {
  // One step may return more messages than a frame may hold: they go out in several.
  for (let at = 0; at < events.length; at += CHECKED_AT_ONCE)
    checkEvents(events.slice(at, at + CHECKED_AT_ONCE));
  return events.map((event) => eventText(event, shared));
}

/** Throws where the event is too long. */
function eventText(event: HostEvent, shared: SharedValues): string {
  const text = event.kind === 'stream' ? streamText(event, shared) : jsonText(event);
  if (isTooLong(text)) throw new Error(tooLong(event));
  return text;
}

/** A piece of a message comes with the metadata of its model's run, which is said once. */
function streamText(event: StreamEvent, shared: SharedValues): string {
  const { ns, data, speaker } = event;
  const head = `{"kind":"stream","event":${JSON.stringify(event.event)},"ns":${JSON.stringify(ns)}${
    speaker === undefined ? '' : `,"speaker":${JSON.stringify(speaker)}`
  }`;
  const whole = () => (data === undefined ? `${head}}` : `${head},"data":${jsonOf(data)}}`);
  if (event.event !== 'messages' || !Array.isArray(data) || data.length !== 2) return whole();
  const [piece, metadata] = data as readonly unknown[];
  const found = shared.numberOf(metadata);
  if (found === undefined) return whole();
  return found.is_new
    ? `${head},"shares":${found.number},"data":[${jsonOf(piece)},${jsonOf(metadata)}]}`
    : `${head},"shared":${found.number},"data":[${jsonOf(piece)}]}`;
}

const isTooLong = (text: string) =>
  text.length > MAX_EVENT || (text.length > MAX_EVENT_BYTES / 3 && Buffer.byteLength(text) > MAX_EVENT_BYTES);

type StreamEvent = Extract<HostEvent, { kind: 'stream' }>;

const tooLong = (event: HostEvent) =>
  `What the graph streamed as "${event.kind === 'stream' ? event.event : event.kind}" is longer than ${MAX_EVENT / 1_000_000} MB.`;
