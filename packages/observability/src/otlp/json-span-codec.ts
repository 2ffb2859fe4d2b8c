import { type TimeSlice, inTimeSlices } from '@roadstead/kit';
import {
  attributesOf,
  each,
  type Free,
  idOf,
  listIn,
  memberOf,
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
  return inTimeSlices(spansOf(await readRequest(body, 'traces')), slice);
}

function* spansOf(request: Free): Scan<Span[]> {
  const spans: Span[] = [];
  for (const resource_spans of listIn(memberOf(request, 'resourceSpans'))) {
    const resource = yield* attributesOf(record(record(resource_spans)['resource'])['attributes']);
    for (const scope_spans of listIn(memberOf(record(resource_spans), 'scopeSpans'))) {
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
    trace_id: idOf(memberOf(span, 'traceId'), 16),
    span_id: idOf(memberOf(span, 'spanId'), 8),
    parent_span_id: idOf(memberOf(span, 'parentSpanId'), 8),
    name: text(span['name']),
    start_ns: nanoseconds(memberOf(span, 'startTimeUnixNano')),
    end_ns: nanoseconds(memberOf(span, 'endTimeUnixNano')),
    attributes: yield* attributesOf(span['attributes']),
    events: yield* each(listIn(span['events']).slice(0, MAX_EVENTS), eventOf),
    status: {
      code: statusCodeOf(status['code']),
      message: text(status['message']),
    },
    resource,
  };
}

/** The status by number, as in the protocol, or by name, as some write it: `STATUS_CODE_ERROR`, `Error`. */
function statusCodeOf(code: unknown): number {
  if (typeof code !== 'string' && typeof code !== 'number') return 0;
  const written = String(code)
    .toUpperCase()
    .replace(/^STATUS_CODE_/, '');
  return statusCodes.get(written) ?? 0;
}
const statusCodes: ReadonlyMap<string, number> = new Map([
  [String(STATUS_OK), STATUS_OK],
  [String(STATUS_ERROR), STATUS_ERROR],
  ['OK', STATUS_OK],
  ['ERROR', STATUS_ERROR],
]);

function* eventOf(value: unknown): Scan<SpanEvent> {
  const event = record(value);
  return {
    time_ns: nanoseconds(memberOf(event, 'timeUnixNano')),
    name: text(event['name']),
    attributes: yield* attributesOf(event['attributes']),
  };
}
