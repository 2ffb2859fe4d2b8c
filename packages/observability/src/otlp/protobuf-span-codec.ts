import type { TimeSlice } from '@roadstead/kit';
import { delimited, fixed64, hex, type ProtobufScan, type Scan, scanned, varint } from './protobuf-scan.ts';
import { type Attributes, type AttributeValue, MAX_EVENTS, type Span, type SpanEvent } from './span.ts';

/** `ExportTraceServiceRequest` as protocol buffers (trace/v1). */

/** @throws Problem `invalid` where the body is no such message, `too_large` where it holds too much. */
export async function decodeProtobufSpans(body: Uint8Array, slice: TimeSlice): Promise<Span[]> {
  return scanned('traces', (scan) => new SpanScan(scan).request(body), slice);
}

class SpanScan {
  readonly #scan: ProtobufScan;
  readonly #spans: Span[] = [];

  constructor(scan: ProtobufScan) {
    this.#scan = scan;
  }

  *request(body: Uint8Array): Scan<Span[]> {
    yield* this.#scan.perResource(body, (bytes, resource) => this.#span(bytes, resource));
    return this.#spans;
  }

  *#span(bytes: Uint8Array, resource: Attributes): Scan<void> {
    const span = {
      trace_id: '',
      span_id: '',
      parent_span_id: '',
      name: '',
      start_ns: 0n,
      end_ns: 0n,
      attributes: new Map<string, AttributeValue>(),
      events: [] as SpanEvent[],
      status: { code: 0, message: '' },
      resource,
    };
    yield* this.#scan.fields(bytes, {
      1: delimited((reader) => void (span.trace_id = hex(reader.bytes()))),
      2: delimited((reader) => void (span.span_id = hex(reader.bytes()))),
      4: delimited((reader) => void (span.parent_span_id = hex(reader.bytes()))),
      5: delimited((reader) => void (span.name = reader.string())),
      7: fixed64((reader) => void (span.start_ns = BigInt(reader.fixed64()))),
      8: fixed64((reader) => void (span.end_ns = BigInt(reader.fixed64()))),
      9: delimited((reader) => this.#scan.attributeInto(span.attributes, reader)),
      11: delimited((reader) => this.#eventInto(span.events, reader.bytes())),
      15: delimited((reader) =>
        this.#scan.fields(reader.bytes(), {
          2: delimited((status) => void (span.status.message = status.string())),
          3: varint((status) => void (span.status.code = status.int32())),
        }),
      ),
    });
    this.#spans.push(span);
  }

  *#eventInto(events: SpanEvent[], bytes: Uint8Array): Scan<void> {
    const event = { time_ns: 0n, name: '', attributes: new Map<string, AttributeValue>() };
    yield* this.#scan.fields(bytes, {
      1: fixed64((reader) => void (event.time_ns = BigInt(reader.fixed64()))),
      2: delimited((reader) => void (event.name = reader.string())),
      3: delimited((reader) => this.#scan.attributeInto(event.attributes, reader)),
    });
    if (events.length < MAX_EVENTS) events.push(event);
  }
}
