import type { Attributes, AttributeValue } from './span.ts';

/** A log record as OpenTelemetry's protocol has it, whatever it was written in. */
export interface LogRecord {
  /** Lower-case hexadecimal, of the span in which it was written; empty where there is none. */
  readonly trace_id: string;
  readonly span_id: string;
  /** Empty where it is no event, or says so in its attributes. */
  readonly event_name: string;
  readonly time_ns: bigint;
  readonly body: AttributeValue;
  readonly attributes: Attributes;
  /** Of what produced it. */
  readonly resource: Attributes;
}
