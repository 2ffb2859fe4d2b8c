/** A span of OpenTelemetry's protocol, in either encoding. */

/** Integers beyond those of JavaScript are decimal text, bytes base64. */
export type AttributeValue =
  | string
  | number
  | boolean
  | null
  | readonly AttributeValue[]
  | { readonly [name: string]: AttributeValue };

export type Attributes = ReadonlyMap<string, AttributeValue>;

export interface SpanEvent {
  readonly time_ns: bigint;
  readonly name: string;
  readonly attributes: Attributes;
}

export interface Span {
  /** Lower-case hexadecimal: 32 digits for a trace, 16 for a span; empty where it is missing. */
  readonly trace_id: string;
  readonly span_id: string;
  readonly parent_span_id: string;
  readonly name: string;
  readonly start_ns: bigint;
  readonly end_ns: bigint;
  readonly attributes: Attributes;
  readonly events: readonly SpanEvent[];
  /** The status; its code is one of the enumeration `Status.StatusCode`. */
  readonly status: { readonly code: number; readonly message: string };
  /** The attributes of the resource that produced it. */
  readonly resource: Attributes;
}

export const STATUS_OK = 1;
export const STATUS_ERROR = 2;

/** The limit on attributes; further ones are ignored: no program writes as many by itself. */
export const MAX_ATTRIBUTES = 10_000;
export const MAX_EVENTS = 10_000;
export const MAX_VALUE_DEPTH = 32;

export const isSpanId = (id: string): boolean => /^(?!0{16})[0-9a-f]{16}$/.test(id);
export const isTraceId = (id: string): boolean => /^(?!0{32})[0-9a-f]{32}$/.test(id);
