import { type TimeSlice, inTimeSlices } from '@roadstead/kit';
import {
  attributesOf,
  type Free,
  idOf,
  listIn,
  memberOf,
  nanoseconds,
  readRequest,
  record,
  type Scan,
  text,
  valueOf,
} from './json-value-codec.ts';
import type { LogRecord } from './log-record.ts';

/** `ExportLogsServiceRequest` as JSON. */

/** @throws Problem `malformed` or `invalid` where the body is no such request. */
export async function decodeJsonLogs(body: Uint8Array, slice: TimeSlice): Promise<LogRecord[]> {
  return inTimeSlices(recordsOf(await readRequest(body, 'logs')), slice);
}

function* recordsOf(request: Free): Scan<LogRecord[]> {
  const records: LogRecord[] = [];
  for (const resource_logs of listIn(memberOf(request, 'resourceLogs'))) {
    const resource = yield* attributesOf(record(record(resource_logs)['resource'])['attributes']);
    for (const scope_logs of listIn(memberOf(record(resource_logs), 'scopeLogs'))) {
      yield;
      for (const one of listIn(memberOf(record(scope_logs), 'logRecords')))
        records.push(yield* recordOf(record(one), resource));
    }
  }
  return records;
}

function* recordOf(one: Free, resource: LogRecord['resource']): Scan<LogRecord> {
  return {
    trace_id: idOf(memberOf(one, 'traceId'), 16),
    span_id: idOf(memberOf(one, 'spanId'), 8),
    event_name: text(memberOf(one, 'eventName')),
    time_ns: nanoseconds(memberOf(one, 'timeUnixNano')) || nanoseconds(memberOf(one, 'observedTimeUnixNano')),
    body: yield* valueOf(one['body'], 0),
    attributes: yield* attributesOf(one['attributes']),
    resource,
  };
}
