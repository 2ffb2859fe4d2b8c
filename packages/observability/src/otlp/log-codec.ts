import { runOperationOf, type SentPayload } from '../ingest/run-fields-rules.ts';
import type { Operations, PayloadKind, RunOperation } from '../ingest/run-operation.ts';
import { type Reading, readPayload } from '../ingest/sent-json-codec.ts';
import * as tables from './attribute-tables.ts';
import type { LogRecord } from './log-record.ts';
import { payloadTexts, type PayloadTexts, readAttributes } from './span-content-codec.ts';
import { MESSAGE_TIME } from '../runs/message-merging-rules.ts';
import { runIdOf } from './span-placement-rules.ts';
import { type AttributeValue, isSpanId, isTraceId, type Span, type SpanEvent } from './span.ts';

/**
 * Log records as operations. Instrumentations may tell the messages of a span by log records in place of its events: those that
 * name a span and hold its messages become what the events of these names would be. All others are dropped.
 */

/** @param reading.project for spans that name none. */
export async function logOperationsOf(
  records: readonly LogRecord[],
  { project, ...reading }: Reading & { readonly project: string | undefined },
): Promise<Operations> {
  const told = records.filter(isOfSpan);
  const runs: RunOperation[] = [];
  for (const some of Map.groupBy(told, ({ trace_id, span_id }) => `${trace_id}/${span_id}`).values()) {
    runs.push(await operationOf(some, { project, ...reading }));
    if (reading.slice.isOver()) await reading.slice.next();
  }
  return { runs, feedback: [], attachments: [] };
}

const isOfSpan = (record: LogRecord) =>
  isTraceId(record.trace_id) && isSpanId(record.span_id) && tables.logged_events.has(nameOf(record));

function nameOf({ event_name, attributes }: LogRecord): string {
  const said = attributes.get('event.name');
  return event_name === '' && typeof said === 'string' ? said : event_name;
}

async function operationOf(
  records: readonly LogRecord[],
  { project, ...reading }: Reading & { readonly project: string | undefined },
): Promise<RunOperation> {
  const span = spanOf(records);
  const run_id = runIdOf(span.span_id);
  const at = `logs.${span.span_id}`;
  const attributes = await readAttributes(span, reading);
  const texts = await payloadTexts({ span, attributes, name: span.name }, reading);
  const payloads: Partial<Record<PayloadKind, SentPayload>> = {};
  for (const [kind, text] of Object.entries({ ...texts, extra: extraWith(texts), events: undefined })) {
    const json = text === undefined ? undefined : Buffer.from(text);
    const name = kind as PayloadKind;
    const payload = json && (await readPayload({ kind: name, json, at: `${at}.${kind}` }, reading));
    if (payload !== undefined) payloads[name] = payload;
  }
  const main = project === undefined ? undefined : { session_name: project };
  const operation = runOperationOf({ at, verb: 'patch', run_id, main, payloads }, reading.faults);
  return { ...operation, adds_messages: true };
}

/** Events of its own would replace those of the span: what is left of the records stands in the metadata. */
function extraWith({ extra = '{}', events }: PayloadTexts): string {
  if (events === undefined) return extra;
  const { metadata, ...beside } = JSON.parse(extra) as { readonly metadata: object };
  return JSON.stringify({ ...beside, metadata: { ...metadata, 'otel.logs': JSON.parse(events) as unknown } });
}

/** A span that has the records for its events, and what they say of the call for its attributes. */
function spanOf(records: readonly LogRecord[]): Span {
  const [{ trace_id, span_id, resource } = nowhere] = records;
  const events = records.toSorted((a, b) => Number(a.time_ns - b.time_ns)).map(eventOf);
  return {
    trace_id,
    span_id,
    parent_span_id: '',
    name: '',
    start_ns: 0n,
    end_ns: 0n,
    attributes: new Map(events.flatMap(ofCall)),
    events,
    status: { code: 0, message: '' },
    resource,
  };
}

const nowhere = { trace_id: '', span_id: '', resource: new Map<string, AttributeValue>() };
const contents: ReadonlySet<string> = new Set([...tables.message_contents, ...tables.message_texts]);

/** What a record says of the call rather than of its message. */
const ofCall = ({ attributes }: SpanEvent) =>
  [...attributes].filter(([name]) => name.startsWith('gen_ai.') && !contents.has(name));

function eventOf(record: LogRecord): SpanEvent {
  const { time_ns, body } = record;
  const name = nameOf(record);
  const attributes = new Map(record.attributes);
  if (attributes.get('event.name') === name) attributes.delete('event.name');
  if (time_ns > 0n && name in tables.message_events) attributes.set(MESSAGE_TIME, String(time_ns));
  for (const [key, value] of bodyOf(name, body)) if (!attributes.has(key)) attributes.set(key, value);
  return { name, time_ns, attributes };
}

/** A body is a message, or holds what else stands in attributes. */
function bodyOf(name: string, body: AttributeValue): Iterable<readonly [string, AttributeValue]> {
  if (body === null || body === '') return [];
  const isObject = typeof body === 'object' && !Array.isArray(body);
  return isObject && !(name in tables.message_events)
    ? Object.entries(body)
    : [['gen_ai.event.content', body]];
}
