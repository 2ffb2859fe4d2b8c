import type { TimeSlice } from '@roadstead/kit';
import type { LogRecord } from './log-record.ts';
import { delimited, fixed64, hex, type ProtobufScan, type Scan, scanned } from './protobuf-scan.ts';
import type { Attributes, AttributeValue } from './span.ts';

/** `ExportLogsServiceRequest` as protocol buffers (logs/v1). */

/** @throws Problem `invalid` where the body is no such message, `too_large` where it holds too much. */
export async function decodeProtobufLogs(body: Uint8Array, slice: TimeSlice): Promise<LogRecord[]> {
  return scanned('logs', (scan) => recordsOf(scan, body), slice);
}

function* recordsOf(scan: ProtobufScan, body: Uint8Array): Scan<LogRecord[]> {
  const records: LogRecord[] = [];
  yield* scan.perResource(body, (bytes, resource) => recordInto(records, scan, { bytes, resource }));
  return records;
}

function* recordInto(
  records: LogRecord[],
  scan: ProtobufScan,
  { bytes, resource }: { readonly bytes: Uint8Array; readonly resource: Attributes },
): Scan<void> {
  const record = {
    trace_id: '',
    span_id: '',
    event_name: '',
    time_ns: 0n,
    body: null as AttributeValue,
    attributes: new Map<string, AttributeValue>(),
    resource,
  };
  let observed_ns = 0n;
  let body: Uint8Array = new Uint8Array();
  yield* scan.fields(bytes, {
    1: fixed64((reader) => void (record.time_ns = BigInt(reader.fixed64()))),
    5: delimited((reader) => void (body = reader.bytes())),
    6: delimited((reader) => scan.attributeInto(record.attributes, reader)),
    9: delimited((reader) => void (record.trace_id = hex(reader.bytes()))),
    10: delimited((reader) => void (record.span_id = hex(reader.bytes()))),
    11: fixed64((reader) => void (observed_ns = BigInt(reader.fixed64()))),
    12: delimited((reader) => void (record.event_name = reader.string())),
  });
  record.body = yield* scan.value(body, 0);
  if (record.time_ns === 0n) record.time_ns = observed_ns;
  records.push(record);
}
