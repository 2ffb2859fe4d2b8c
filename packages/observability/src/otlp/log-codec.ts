import { runOperationOf, type SentPayload } from '../decoding/run-fields-rules.ts';
import type { Operations, PayloadKind, RunOperation } from '../records/run-operation.ts';
import { type BodyReading, readPayload, TOO_MUCH, ValueRoom } from '../decoding/sent-json-codec.ts';
import * as tables from './attribute-tables.ts';
import type { LogRecord } from './log-record.ts';
import { payloadTexts, type PayloadTexts, readAttributes } from './span-content-codec.ts';
import { ExtraFolding, LEFT_OF_LOGS } from '../merging/extra-rules.ts';
import {
  type ListedTimes,
  type Mark,
  type MergedSide,
  newList,
  SideMerging,
  withMarks,
} from '../merging/side-merging-rules.ts';
import { runIdOf } from './span-placement-rules.ts';
import {
  type Attributes,
  type AttributeValue,
  isSpanId,
  isTraceId,
  MAX_EVENTS,
  type Span,
  type SpanEvent,
} from './span.ts';
import type { SpanReading } from './span-codec.ts';

/**
 * Turns log records into operations. Instrumentations may send the messages of a span as log records instead of
 * events: records that name a span and hold its messages become the events of the same names. All others are dropped.
 */

export async function logOperationsOf(
  records: readonly LogRecord[],
  { project, ...reading }: SpanReading,
): Promise<Operations & { readonly rejected: number }> {
  const told = records.filter(isOfSpan);
  const runs: RunOperation[] = [];
  const room_of_records = new ValueRoom();
  let rejected = 0;
  for (const all of Map.groupBy(told, ({ trace_id, span_id }) => `${trace_id}/${span_id}`).values()) {
    const some = all.slice(0, MAX_EVENTS);
    const [{ span_id } = nowhere] = some;
    const beyond = all.length - some.length;
    if (beyond > 0)
      reading.faults.add(
        `logs.${span_id}`,
        `holds more than ${MAX_EVENTS} messages: ${beyond} records are left out`,
      );
    const { operation, left_out } = await operationOf(some, { project, room_of_records, ...reading });
    runs.push(operation);
    rejected += beyond + left_out;
    if (reading.slice.isOver()) await reading.slice.next();
  }
  return { runs, feedback: [], attachments: [], rejected };
}

const isOfSpan = (record: LogRecord) =>
  isTraceId(record.trace_id) && isSpanId(record.span_id) && tables.logged_events.has(nameOf(record));

function nameOf({ event_name, attributes }: LogRecord): string {
  const said = attributes.get('event.name');
  return event_name === '' && typeof said === 'string' ? said : event_name;
}

interface LogReading extends BodyReading {
  /** The room for records by themselves: what is made of them all takes room of the body. */
  readonly room_of_records: BodyReading['room'];
}

async function operationOf(
  records: readonly LogRecord[],
  { project, ...reading }: LogReading & SpanReading,
): Promise<{ readonly operation: RunOperation; readonly left_out: number }> {
  const [{ span_id } = nowhere] = records;
  const run_id = runIdOf(span_id);
  const at = `logs.${span_id}`;
  const { texts, left_out } = await textsOf(records, reading);
  const payloads: Partial<Record<PayloadKind, SentPayload>> = {};
  for (const [kind, json] of Object.entries(texts)) {
    const name = kind as PayloadKind;
    const payload = json && (await readPayload({ kind: name, json, at: `${at}.${kind}` }, reading));
    if (payload !== undefined) payloads[name] = payload;
  }
  const main = project === undefined ? undefined : { session_name: project };
  const operation = runOperationOf({ at, verb: 'patch', run_id, main, payloads }, reading.faults);
  return { operation: { ...operation, told_by: 'logs' }, left_out };
}

/** Events that a message must name; the others show by its role. */
const named: ReadonlySet<string> = new Set([tables.choice_event, tables.details_event]);

function markOf(record: LogRecord): Mark {
  const event = nameOf(record);
  return { time: String(record.time_ns), event: named.has(event) ? event : undefined };
}

type Texts = Partial<Record<'inputs' | 'outputs' | 'extra', Uint8Array>>;

/** Reads each record by itself, so that its result does not depend on the others; only a resource is said once. */
async function textsOf(
  records: readonly LogRecord[],
  reading: LogReading,
): Promise<{ readonly texts: Texts; readonly left_out: number }> {
  const merging = {
    sides: new SideMerging(reading.slice),
    list: newList(),
    extra: new ExtraFolding(reading.slice),
  };
  const resources = new Set<Attributes>();
  let left_out = 0;
  for (const record of records.toSorted((a, b) => Number(a.time_ns - b.time_ns))) {
    const resource = resources.has(record.resource) ? new Map() : record.resource;
    if (await addRecord({ ...record, resource }, merging, reading)) resources.add(record.resource);
    else left_out += 1;
    if (reading.slice.isOver()) await reading.slice.next();
  }
  const { inputs, outputs } = merging.sides.merged();
  const extra = await merging.extra.merged();
  if (!extra.isWhole) reading.faults.add(`logs.${records[0]?.span_id}.extra`, WOULD_EXCEED);
  const texts = {
    ...(hasAny(inputs) ? { inputs: inputs.json } : {}),
    ...(hasAny(outputs) ? { outputs: outputs.json } : {}),
    extra: extra.json,
  };
  return { texts, left_out };
}

interface RecordMerging {
  readonly sides: SideMerging;
  /** The records of a request are one list: a message may occur several times at one time. */
  readonly list: ListedTimes;
  readonly extra: ExtraFolding;
}

/** Adds a record; false for one that holds too much, or for which the request has no room left: it is named and left out. */
async function addRecord(
  record: LogRecord,
  { sides, list, extra }: RecordMerging,
  reading: LogReading,
): Promise<boolean> {
  const { faults, slice, room_of_records: room } = reading;
  const at = `logs.${record.span_id}`;
  const span = spanOf(record);
  const attributes = await readAttributes(span, reading);
  const texts = await payloadTexts({ span, attributes, name: span.name }, reading);
  const parts = { inputs: bytesOf(texts.inputs), outputs: bytesOf(texts.outputs) };
  const part_of_extra = Buffer.from(extraWith(texts));
  for (const part of [parts.inputs, parts.outputs, part_of_extra])
    if (part !== undefined && !(await room.takes(part))) {
      faults.add(`${at}.${record.time_ns}`, `${TOO_MUCH}, and is left out`);
      return false;
    }
  for (const side of ['inputs', 'outputs'] as const) {
    const part = parts[side];
    if (part === undefined) continue;
    const marked = await withMarks(part, markOf(record), slice);
    if (!(await sides.add(side, marked, list))) faults.add(`${at}.${side}`, WOULD_EXCEED);
  }
  await extra.add(part_of_extra);
  return true;
}

const WOULD_EXCEED = 'would exceed the limit of one field';
const bytesOf = (text: string | undefined) => (text === undefined ? undefined : Buffer.from(text));

const hasAny = (side: MergedSide | undefined): side is MergedSide =>
  side !== undefined && side.json.length > 0;

/** The rest of the records goes to the metadata, since events would replace those of the span. */
function extraWith({ extra = '{}', events }: PayloadTexts): string {
  if (events === undefined) return extra;
  const { metadata, ...beside } = JSON.parse(extra) as { readonly metadata: object };
  return JSON.stringify({
    ...beside,
    metadata: { ...metadata, [LEFT_OF_LOGS]: JSON.parse(events) as unknown },
  });
}

/** A span with the record as its event, and with the record's facts about the call as its attributes. */
function spanOf(record: LogRecord): Span {
  const { trace_id, span_id, resource } = record;
  const event = eventOf(record);
  return {
    trace_id,
    span_id,
    parent_span_id: '',
    name: '',
    start_ns: 0n,
    end_ns: 0n,
    attributes: new Map(ofCall(event)),
    events: [event],
    status: { code: 0, message: '' },
    resource,
  };
}

const nowhere = { span_id: '' };
const contents: ReadonlySet<string> = new Set([...tables.message_contents, ...tables.message_texts]);

/** The attributes of a record that describe the call rather than its message. */
const ofCall = ({ attributes }: SpanEvent) =>
  [...attributes].filter(([name]) => name.startsWith('gen_ai.') && !contents.has(name));

function eventOf(record: LogRecord): SpanEvent {
  const { time_ns, body } = record;
  const name = nameOf(record);
  const attributes = new Map(record.attributes);
  if (attributes.get('event.name') === name) attributes.delete('event.name');
  for (const [key, value] of bodyOf(name, body)) if (!attributes.has(key)) attributes.set(key, value);
  return { name, time_ns, attributes };
}

/** A body is a message, or holds what attributes hold elsewhere. */
function bodyOf(name: string, body: AttributeValue): Iterable<readonly [string, AttributeValue]> {
  if (body === null || body === '') return [];
  const isObject = typeof body === 'object' && !Array.isArray(body);
  return isObject && !tables.message_events.has(name)
    ? Object.entries(body)
    : [['gen_ai.event.content', body]];
}
