import type { Attributes, AttributeValue } from './span.ts';

/** A log record of OpenTelemetry's protocol, in either encoding. */
export interface LogRecord {
  /** The ids of the span in which it was written, in lower-case hexadecimal; empty where it names no span. */
  readonly trace_id: string;
  readonly span_id: string;
  /** Empty where it is no event, or names the event in its attributes. */
  readonly event_name: string;
  readonly time_ns: bigint;
  readonly body: AttributeValue;
  readonly attributes: Attributes;
  /** The attributes of the resource that produced it. */
  readonly resource: Attributes;
}
