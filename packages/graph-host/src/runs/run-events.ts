import type { HostEvent, RunInterrupt, RunParams } from '@roadstead/contracts/host';
import { asksForCredentials } from '../values/a2a-words.ts';
import type { AnyMessage, CompiledGraph, Interrupt } from '../values/langgraph-types.ts';
import { idOf, isMessage, messagesIn, plainMessage, plainValues } from '../values/messages.ts';
import { outputOf } from './output-rules.ts';
import { interruptId } from '../graphs/resumption.ts';
import { pushedMessage } from './pushed-messages.ts';
import type { StreamPart } from './stream-events.ts';
import { toolResults } from './tool-results.ts';

/** Turns what a graph streams into what the engine gets: each message once, interrupts, the output. */
export interface RunEvents {
  /** Messages from before the run: a node that returns its whole history does not report them again. */
  know(values: unknown): void;
  /** Sees the pieces that models say, to know which messages were heard already. */
  heard(events: readonly HostEvent[]): readonly HostEvent[];
  /** Makes the events of a message that a node pushes before it returns. */
  pushed(message: AnyMessage): HostEvent[];
  /** A part of the graph's own stream. */
  of(part: Pick<StreamPart, 'mode' | 'payload'>): HostEvent[];
  /** Whether the graph stopped before its end: it asks something, or was told to stop at a node. */
  stopped(): boolean;
  interrupts(): RunInterrupt[];
  /** The last state, as the graph streamed it; undefined where it streamed none. */
  last(): unknown;
  /** The last state as far as the output schema shows it, and of its messages only those of this run. */
  output(channels: CompiledGraph['outputChannels']): unknown;
}

export function createRunEvents({ chunks, goes_on }: Pick<RunParams, 'chunks' | 'goes_on'>): RunEvents {
  const before = new Set<string>();
  const sent = new Set<string>();
  const inPieces = new Set<string>();
  const interrupts: Interrupt[] = [];
  let stopped = false;
  // The first state is that of before any node, the history and the input; of a run that goes on it holds more.
  let begun = goes_on !== undefined;
  let last: unknown;

  const results = toolResults({ chunks });
  const know = (messages: readonly AnyMessage[]) => {
    for (const message of messages) {
      before.add(idOf(message));
      results.know(message);
    }
  };
  const eventsOf = (message: AnyMessage): HostEvent[] => {
    const id = idOf(message);
    const plain = before.has(id) || sent.has(id) ? undefined : plainMessage(message);
    if (plain === undefined) return [];
    sent.add(plain.id);
    results.know(message);
    const whole: HostEvent = { kind: 'message', message: results.marked(plain) };
    const piece = chunks && plain.role === 'assistant' && plain.text !== '' && !inPieces.has(plain.id);
    return piece ? [{ kind: 'chunk', message_id: plain.id, text: plain.text }, whole] : [whole];
  };

  const raise = (raised: unknown) => {
    if (!Array.isArray(raised)) return;
    stopped = true;
    interrupts.push(...(raised as Interrupt[]));
  };
  const ofUpdates = (payload: unknown): HostEvent[] => {
    const { __interrupt__: raised, ...updates } = (payload ?? {}) as { __interrupt__?: unknown };
    raise(raised);
    return Object.values(updates).flatMap(messagesIn).flatMap(eventsOf);
  };
  const ofValues = (payload: unknown): HostEvent[] => {
    if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) {
      last = payload;
      return [];
    }
    const { __interrupt__: raised, ...values } = payload as { __interrupt__?: unknown };
    raise(raised);
    if (raised !== undefined && Object.keys(values).length === 0) return [];
    last = values;
    const messages = stateMessages(values);
    if (begun) return messages.flatMap(eventsOf);
    begun = true;
    know(messages);
    return [];
  };

  return {
    know: (values) => know(messagesIn(values)),
    heard(events) {
      for (const event of events) if (event.kind === 'chunk') inPieces.add(event.message_id);
      return events;
    },
    pushed: eventsOf,
    of({ mode, payload }) {
      if (mode === 'values') return ofValues(payload);
      if (mode === 'updates') return ofUpdates(payload);
      const pushed = mode === 'messages' ? pushedMessage(payload) : undefined;
      return pushed === undefined ? [] : eventsOf(pushed);
    },
    stopped: () => stopped,
    last: () => last,
    interrupts: () => openInterrupts(interrupts),
    output: (channels) =>
      plainValues(outputOf(last, { channels, isOfRun: (message) => !before.has(idOf(message)) })),
  };
}

/** Messages that nodes return in other forms are in the state as such, or as plain data. */
function stateMessages(values: Readonly<Record<string, unknown>>): AnyMessage[] {
  const { messages } = values;
  if (!Array.isArray(messages)) return [];
  return messages.filter((one: unknown) => isMessage(one) || isPlain(one)) as AnyMessage[];
}

const isPlain = (value: unknown) =>
  typeof value === 'object' && value !== null && 'content' in value && ('role' in value || 'type' in value);

/** Each interrupt once, with a value that JSON can hold, in the order in which the graph raised them. */
function openInterrupts(interrupts: readonly Interrupt[]): RunInterrupt[] {
  // Versions that know no ids hand the same object to every stream mode.
  const byId = new Map([...new Set(interrupts)].map((one, at) => [interruptId(one) ?? String(at), one]));
  return [...byId].map(([id, { value, response_schema }]) => ({
    id,
    value: plainValues(value),
    ...(response_schema === undefined ? {} : { response_schema: plainValues(response_schema) }),
    ...(asksForCredentials(value) ? { wants: 'credentials' } : {}),
  }));
}
