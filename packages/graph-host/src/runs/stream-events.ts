import type { HostEvent, RunParams, StreamMode } from '@roadstead/contracts/host';
import type { AnyMessage } from '../values/langgraph-types.ts';
import { isMessage } from '../values/messages.ts';
import type { Speakers } from './speakers.ts';
import { checkpointMark, shownCheckpoint, shownTask } from './stream-rules.ts';

/** A part of what LangGraph streams. */
export interface StreamPart {
  /** The namespace of the subgraph; empty for the graph itself. */
  readonly ns: readonly string[];
  readonly mode: string;
  readonly payload: unknown;
}

type StreamEvent = Extract<HostEvent, { kind: 'stream' }>;

/** LangGraph's own modes that the modes of the LangGraph API are made of. */
const SOURCES: Readonly<Record<Exclude<StreamMode, 'events'>, readonly string[]>> = {
  values: ['values'],
  updates: ['updates'],
  custom: ['custom'],
  tools: ['tools'],
  'messages-tuple': ['messages'],
  messages: ['messages', 'values'],
  // Versions that have no modes for the two tell of both in `debug`.
  tasks: ['debug'],
  checkpoints: ['debug'],
  'checkpoint-marks': ['debug'],
  debug: ['debug'],
};

export interface StreamEvents {
  /** The modes to have LangGraph stream. */
  readonly sources: readonly string[];
  /** Whether what happens inside of nodes is wanted, too. */
  readonly inner: boolean;
  /** Makes the events of a part, in the modes that were asked for. */
  of(part: StreamPart): HostEvent[];
}

/** Turns what LangGraph streams into the events of the LangGraph API. */
export function createStreamEvents(
  { stream }: Pick<RunParams, 'stream'>,
  speakers: Pick<Speakers, 'heard'>,
): StreamEvents {
  const asked = new Set<StreamMode>(stream?.modes);
  const whole = createWholeMessages();
  const readers: Readonly<Record<string, (part: StreamPart) => HostEvent[]>> = {
    messages: ({ ns, payload }) => [
      ...(asked.has('messages') ? whole.pieces(payload) : []),
      ...(asked.has('messages-tuple') ? spoken(event('messages', ns, payload), speakers) : []),
    ],
    debug: ({ ns, payload }) => debugEvents(payload, asked).map(([name, data]) => event(name, ns, data)),
    values: ({ ns, payload }) => [
      ...(asked.has('values') ? [event('values', ns, payload)] : []),
      ...(asked.has('messages') ? whole.complete(payload) : []),
    ],
  };
  return {
    sources: [...asked].flatMap((mode) => (mode === 'events' ? [] : SOURCES[mode])),
    inner: asked.has('events'),
    of(part) {
      const { ns, mode, payload } = part;
      const read = readers[mode];
      if (read !== undefined) return read(part);
      return asked.has(mode as StreamMode) ? [event(mode, ns, payload)] : [];
    },
  };
}

const event = (name: string, ns: readonly string[], data: unknown): StreamEvent => ({
  kind: 'stream',
  event: name,
  ns,
  data,
});

function spoken(piece: StreamEvent, speakers: Pick<Speakers, 'heard'>): HostEvent[] {
  const [message] = piece.data as readonly unknown[];
  const { after, ...speaker } = speakers.heard(message);
  return [{ ...piece, ...speaker }, ...after];
}

interface DebugPart {
  readonly type: 'checkpoint' | 'task' | 'task_result';
  readonly payload: Readonly<Record<string, unknown>>;
}

function debugEvents(part: unknown, asked: ReadonlySet<StreamMode>): [StreamMode, unknown][] {
  const { type, payload } = part as DebugPart;
  const is_checkpoint = type === 'checkpoint';
  const shown = is_checkpoint ? shownCheckpoint(payload) : shownTask(payload);
  const own = is_checkpoint ? ('checkpoints' as const) : ('tasks' as const);
  return [
    ...(is_checkpoint && asked.has('checkpoint-marks')
      ? ([['checkpoint-marks', checkpointMark(payload)]] as [StreamMode, unknown][])
      : []),
    ...(asked.has(own) ? ([[own, shown]] as [StreamMode, unknown][]) : []),
    ...(asked.has('debug')
      ? ([['debug', { ...(part as DebugPart), payload: shown }]] as [StreamMode, unknown][])
      : []),
  ];
}

/**
 * The mode `messages`, which tells with each piece of a message all of it so far, and each message that came into the state
 * once as complete.
 */
function createWholeMessages() {
  const begun = new Map<string, AnyMessage>();
  const completed = new Set<string>();
  return {
    pieces(payload: unknown): StreamEvent[] {
      const [piece, metadata] = payload as [AnyMessage, unknown];
      if (piece.concat === undefined || typeof piece.id !== 'string') return [];
      const before = begun.get(piece.id);
      const so_far = before?.concat?.(piece) ?? piece;
      begun.set(piece.id, so_far);
      const partial = event('messages/partial', [], [so_far]);
      return before === undefined
        ? [event('messages/metadata', [], { [piece.id]: { metadata } }), partial]
        : [partial];
    },
    complete(payload: unknown): StreamEvent[] {
      const { messages } = (payload ?? {}) as { messages?: unknown };
      const fresh = (Array.isArray(messages) ? messages : [messages]).filter(
        (one: unknown): one is AnyMessage =>
          isMessage(one) && typeof one.id === 'string' && !completed.has(one.id),
      );
      for (const { id } of fresh) completed.add(id ?? '');
      return fresh.length === 0 ? [] : [event('messages/complete', [], fresh)];
    },
  };
}
