import { runOperationOf, type SentPayload } from '../decoding/run-fields-rules.ts';
import type { Operations, PayloadKind, RunOperation } from '../records/run-operation.ts';
import { type BodyReading, readPayload } from '../decoding/sent-json-codec.ts';
import * as tables from './attribute-tables.ts';
import type { LogRecord } from './log-record.ts';
import { payloadTexts, type PayloadTexts, readAttributes } from './span-content-codec.ts';
import { LEFT_OF_LOGS, mergedExtra } from '../merging/extra-rules.ts';
import { type Mark, type MergedSide, SideMerging, withMarks } from '../merging/side-merging-rules.ts';
import { runIdOf } from './span-placement-rules.ts';
import { type AttributeValue, isSpanId, isTraceId, type Span, type SpanEvent } from './span.ts';

/**
 * Turns log records into operations. Instrumentations may send the messages of a span as log records instead of
 * events: records that name a span and hold its messages become the events of the same names. All others are dropped.
 */

/** @param reading.project the project of spans that name none. */
export async function logOperationsOf(
  records: readonly LogRecord[],
  { project, ...reading }: BodyReading & { readonly project: string | undefined },
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
  { project, ...reading }: BodyReading & { readonly project: string | undefined },
): Promise<RunOperation> {
  const [{ span_id } = nowhere] = records;
  const run_id = runIdOf(span_id);
  const at = `logs.${span_id}`;
  const texts = await textsOf(records, reading);
  const payloads: Partial<Record<PayloadKind, SentPayload>> = {};
  for (const [kind, json] of Object.entries(texts)) {
    const name = kind as PayloadKind;
    const payload = json && (await readPayload({ kind: name, json, at: `${at}.${kind}` }, reading));
    if (payload !== undefined) payloads[name] = payload;
  }
  const main = project === undefined ? undefined : { session_name: project };
  const operation = runOperationOf({ at, verb: 'patch', run_id, main, payloads }, reading.faults);
  return { ...operation, told_by: 'logs' };
}

/** Events that a message must name; the others show by its role. */
const named: ReadonlySet<string> = new Set([tables.choice_event, tables.details_event]);

function markOf(record: LogRecord): Mark {
  const event = nameOf(record);
  return { time: String(record.time_ns), event: named.has(event) ? event : undefined };
}

type Texts = Partial<Record<'inputs' | 'outputs' | 'extra', Uint8Array>>;

/** Reads each record by itself, so that its result does not depend on the others. */
async function textsOf(records: readonly LogRecord[], reading: BodyReading): Promise<Texts> {
  const merging = new SideMerging(reading.slice);
  const extras: Uint8Array[] = [];
  for (const record of records.toSorted((a, b) => Number(a.time_ns - b.time_ns))) {
    const span = spanOf(record);
    const attributes = await readAttributes(span, reading);
    const texts = await payloadTexts({ span, attributes, name: span.name }, reading);
    for (const side of ['inputs', 'outputs'] as const) {
      const text = texts[side];
      if (text === undefined) continue;
      const marked = await withMarks(Buffer.from(text), markOf(record), reading.slice);
      if (!(await merging.add(side, marked)))
        reading.faults.add(`logs.${record.span_id}.${side}`, 'would exceed the limit of one field');
    }
    extras.unshift(Buffer.from(extraWith(texts)));
    if (reading.slice.isOver()) await reading.slice.next();
  }
  const { inputs, outputs } = merging.merged();
  return {
    ...(hasAny(inputs) ? { inputs: inputs.json } : {}),
    ...(hasAny(outputs) ? { outputs: outputs.json } : {}),
    extra: await mergedExtra(extras, reading.slice),
  };
}

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
