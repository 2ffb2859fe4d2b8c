import type { TimeSlice } from '@roadstead/kit';
import { unhurried } from '../ingest/unhurried.ts';
import {
  attributesOf,
  each,
  type Free,
  listIn,
  nanoseconds,
  readRequest,
  record,
  type Scan,
  text,
} from './json-value-codec.ts';
import { MAX_EVENTS, type Span, type SpanEvent, STATUS_ERROR, STATUS_OK } from './span.ts';

/** `ExportTraceServiceRequest` as JSON. */

/** @throws Problem `malformed` or `invalid` where the body is no such request. */
export async function decodeJsonSpans(body: Uint8Array, slice: TimeSlice): Promise<Span[]> {
  return unhurried(spansOf(await readRequest(body, 'traces')), slice);
}

function* spansOf(request: Free): Scan<Span[]> {
  const spans: Span[] = [];
  for (const resource_spans of listIn(request['resourceSpans'])) {
    const resource = yield* attributesOf(record(record(resource_spans)['resource'])['attributes']);
    for (const scope_spans of listIn(record(resource_spans)['scopeSpans'])) {
      yield;
      for (const span of listIn(record(scope_spans)['spans']))
        spans.push(yield* spanOf(record(span), resource));
    }
  }
  return spans;
}

function* spanOf(span: Free, resource: Span['resource']): Scan<Span> {
  const status = record(span['status']);
  return {
    trace_id: text(span['traceId']).toLowerCase(),
    span_id: text(span['spanId']).toLowerCase(),
    parent_span_id: text(span['parentSpanId']).toLowerCase(),
    name: text(span['name']),
    start_ns: nanoseconds(span['startTimeUnixNano']),
    end_ns: nanoseconds(span['endTimeUnixNano']),
    attributes: yield* attributesOf(span['attributes']),
    events: yield* each(listIn(span['events']).slice(0, MAX_EVENTS), eventOf),
    status: {
      code: statusCodes.get(status['code']) ?? 0,
      message: text(status['message']),
    },
    resource,
  };
}

/** By number, as the protocol has it, or by name, as some write it. */
const statusCodes = new Map<unknown, number>([
  [STATUS_OK, STATUS_OK],
  [STATUS_ERROR, STATUS_ERROR],
  ['STATUS_CODE_OK', STATUS_OK],
  ['STATUS_CODE_ERROR', STATUS_ERROR],
]);

function* eventOf(value: unknown): Scan<SpanEvent> {
  const event = record(value);
  return {
    time_ns: nanoseconds(event['timeUnixNano']),
    name: text(event['name']),
    attributes: yield* attributesOf(event['attributes']),
  };
}
