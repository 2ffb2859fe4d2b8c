import type { StreamMode } from '@roadstead/contracts/host';
import type { EventFrame } from '@roadstead/http';
import { keptText, writeJson } from '../../json/json-text.ts';
import type { RunEvent } from '../../runs/run.ts';

/** Events of runs as Server-Sent Events of the LangGraph API. */

/** An event as clients get it; `id` is where a client resumes the stream. */
export interface NamedEvent {
  readonly id: string;
  readonly event: string;
  readonly data: unknown;
}

export interface FrameOptions {
  readonly run_id: string;
  /** The modes to send; absent: all events. */
  readonly modes?: readonly StreamMode[] | undefined;
}

/** The event as a client gets it; a cancelled run just ends, as its stream always did. */
export function showEvent(event: RunEvent, { run_id, modes }: FrameOptions): NamedEvent | undefined {
  const id = String(event.seq);
  switch (event.kind) {
    case 'started':
      return { id, event: 'metadata', data: { run_id, attempt: event.attempt } };
    case 'stream': {
      if (modes !== undefined && !modes.some((mode) => belongsTo(event.event, mode))) return undefined;
      return { id, event: [event.event, ...event.ns].join('|'), data: event.data };
    }
    case 'end': {
      if (event.error === undefined || event.status === 'interrupted') return undefined;
      return { id, event: 'error', data: { error: event.error.name, message: event.error.message } };
    }
    case 'chunk':
    case 'message':
    case 'said':
      return undefined;
  }
}

/**
 * Whether an event belongs to a mode: `messages-tuple` is sent as `messages`, `messages` as `messages/partial` and the
 * like.
 */
function belongsTo(event: string, mode: StreamMode): boolean {
  // A field of its own asks for it.
  if (event === 'feedback') return true;
  if (mode === 'messages-tuple') return event === 'messages';
  if (mode === 'messages') return event.startsWith('messages/');
  return event === mode;
}

export function frameOf({ id, event, data }: NamedEvent): EventFrame | Promise<EventFrame> {
  const before = `id: ${id}\nevent: ${oneLine(event)}\ndata: `;
  const text = keptText(data);
  return text === undefined ? written(before, data) : `${before}${text}\n\n`;
}

async function written(before: string, data: unknown): Promise<EventFrame> {
  const text = await writeJson(data ?? null);
  return typeof text === 'string' ? `${before}${text}\n\n` : [Buffer.from(before), ...text, END];
}
const END = Buffer.from('\n\n');

/** A subgraph's name is user input. */
const oneLine = (text: string) => text.replaceAll(/[\p{Cc}\u2028\u2029]/gu, ' ').toWellFormed();
