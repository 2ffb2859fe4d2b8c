import type { StreamMode } from '@roadstead/contracts/host';
import type { EventFrame } from '@roadstead/kit';
import { keptText, writeJson } from '../../json/json-text.ts';
import type { RunEvent } from '../../runs/run.ts';

/** Events of runs as Server-Sent Events of the LangGraph API. */

/** One event as it goes out; `id` is where a client takes the stream up again. */
export interface NamedEvent {
  readonly id: string;
  readonly event: string;
  readonly data: unknown;
}

export interface Shown {
  readonly run_id: string;
  /** Absent: everything that the run tells. */
  readonly modes?: readonly StreamMode[] | undefined;
}

/** What a client hears of an event; a cancelled run just ends, as its stream always did. */
export function showEvent(event: RunEvent, { run_id, modes }: Shown): NamedEvent | undefined {
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

/** `messages-tuple` is told as `messages`, `messages` as `messages/partial` and the like. */
function belongsTo(event: string, mode: StreamMode): boolean {
  // It is asked for by a field of its own.
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

/** A subgraph's name is the user's. */
const oneLine = (text: string) => text.replaceAll(/[\p{Cc}\u2028\u2029]/gu, ' ').toWellFormed();
