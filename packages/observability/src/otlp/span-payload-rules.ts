import {
  documents,
  inputs,
  message_events,
  message_log,
  outputs,
  type Side,
  value_types,
} from './attribute-tables.ts';
import { nestedOf } from './nesting-rules.ts';
import type { SpanEvent } from './span.ts';
import type { AttributeReader, JsonText } from './span-reader.ts';

/** What went into a span and what came out of it, as JSON texts of objects. What was JSON stays as it was written. */

export interface ReadEvent {
  readonly event: SpanEvent;
  readonly reader: AttributeReader;
}

interface SpanContent {
  readonly attributes: AttributeReader;
  readonly events: readonly ReadEvent[];
}

export function inputsOf(span: SpanContent): string | undefined {
  return contentOf(span, 'inputs', inputs);
}

export function outputsOf(span: SpanContent): string | undefined {
  span.attributes.value(...value_types);
  const content = contentOf(span, 'outputs', outputs);
  const found = documentsOf(span.attributes);
  return found === undefined ? content : found;
}

/** All of the names are asked for, so that what is not chosen isn't shown a second time. */
function contentOf(span: SpanContent, side: 'inputs' | 'outputs', table: Side): string | undefined {
  const { attributes, events } = span;
  const [event_name, event_attribute] = table.event;
  const event = events.find((one) => one.event.name === event_name)?.reader.json(event_attribute);
  const spoken = events.flatMap((one) => messageOf(one, side) ?? []);
  const listed = attributes.json(...table.message_lists);
  const spread = table.message_prefixes.map((prefix) => attributes.under(prefix)).find(isAny);
  const whole = attributes.json(...table.values);
  const logged = loggedMessages(attributes.meaning(message_log), side);
  if (event !== undefined) return objectText(event, table.name);
  if (isAny(spoken)) return JSON.stringify({ messages: spoken });
  if (listed !== undefined) return `{"messages":${listed.text}}`;
  if (spread !== undefined) return JSON.stringify({ messages: nestedOf(spread) });
  if (whole !== undefined) return objectText(whole, table.name);
  return isAny(logged) ? JSON.stringify({ messages: logged }) : undefined;
}

const isAny = (list: readonly unknown[]) => list.length > 0;

/** An object stays as it is. */
function objectText({ text, value }: JsonText, name: string): string {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? text : `{"${name}":${text}}`;
}

function messageOf({ event, reader }: ReadEvent, side: 'inputs' | 'outputs'): object | undefined {
  const known = message_events[event.name];
  if (known?.side !== side) return undefined;
  const whole = reader.meaning('gen_ai.event.content');
  const parts = typeof whole === 'object' && whole !== null ? whole : nestedOf([...event.attributes]);
  return flatMessage(parts as Readonly<Record<string, unknown>>, known.role);
}

/** A choice holds its message, and why it ended beside it. */
function flatMessage(parts: Readonly<Record<string, unknown>>, role: string): object {
  const { message, gen_ai: _system, ...beside } = parts;
  const inner = typeof message === 'object' && message !== null ? message : {};
  return { role, ...beside, ...inner };
}

function loggedMessages(log: unknown, side: 'inputs' | 'outputs'): object[] {
  if (!Array.isArray(log)) return [];
  return log.flatMap((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null) return [];
    const { 'event.name': name, ...parts } = entry as Readonly<Record<string, unknown>>;
    const known = typeof name === 'string' ? message_events[name] : undefined;
    return known?.side === side ? [flatMessage(parts, known.role)] : [];
  });
}

function documentsOf(attributes: AttributeReader): string | undefined {
  const spread = attributes.under(documents);
  if (!isAny(spread)) return undefined;
  const list = nestedOf(spread);
  if (!Array.isArray(list)) return undefined;
  const found = list.map((item: unknown) => {
    const { content, metadata, ...beside } = item as Readonly<Record<string, unknown>>;
    return { page_content: content ?? '', metadata: meaningOf(metadata), type: 'Document', ...beside };
  });
  return JSON.stringify({ documents: found });
}

function meaningOf(metadata: unknown): unknown {
  if (typeof metadata !== 'string') return metadata ?? {};
  try {
    return JSON.parse(metadata) as unknown;
  } catch {
    return { text: metadata };
  }
}
