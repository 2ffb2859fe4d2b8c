import type { TimeSlice } from '@roadstead/kit';
import { unhurried } from '../ingest/unhurried.ts';
import {
  attributesOf,
  type Free,
  listIn,
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
  return unhurried(recordsOf(await readRequest(body, 'logs')), slice);
}

function* recordsOf(request: Free): Scan<LogRecord[]> {
  const records: LogRecord[] = [];
  for (const resource_logs of listIn(request['resourceLogs'])) {
    const resource = yield* attributesOf(record(record(resource_logs)['resource'])['attributes']);
    for (const scope_logs of listIn(record(resource_logs)['scopeLogs'])) {
      yield;
      for (const one of listIn(record(scope_logs)['logRecords']))
        records.push(yield* recordOf(record(one), resource));
    }
  }
  return records;
}

function* recordOf(one: Free, resource: LogRecord['resource']): Scan<LogRecord> {
  return {
    trace_id: text(one['traceId']).toLowerCase(),
    span_id: text(one['spanId']).toLowerCase(),
    event_name: text(one['eventName']),
    time_ns: nanoseconds(one['timeUnixNano']) || nanoseconds(one['observedTimeUnixNano']),
    body: yield* valueOf(one['body'], 0),
    attributes: yield* attributesOf(one['attributes']),
    resource,
  };
}
