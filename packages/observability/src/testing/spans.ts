import { beginReading } from '../decoding/sent-json-codec.ts';
import { operationsOf } from '../otlp/span-codec.ts';
import type { AttributeValue, Span } from '../otlp/span.ts';

/** Spans in as few words as a test needs, and the runs that are stored from them. */

export type SpanAttributes = Readonly<Record<string, AttributeValue>>;

export interface SpanSaid {
  readonly attributes?: SpanAttributes;
  readonly events?: readonly (readonly [name: string, attributes: SpanAttributes])[];
  readonly code?: number;
  readonly name?: string;
}

function spanOf({ attributes = {}, events = [], code = 0, name = 'span' }: SpanSaid): Span {
  return {
    trace_id: 'a'.repeat(32),
    span_id: 'b'.repeat(16),
    parent_span_id: '',
    name,
    start_ns: 1_767_603_600_000_000_000n,
    end_ns: 1_767_603_601_000_000_000n,
    attributes: new Map(Object.entries(attributes)),
    events: events.map(([event, said]) => ({
      name: event,
      time_ns: 1_767_603_600_500_000_000n,
      attributes: new Map(Object.entries(said)),
    })),
    status: { code, message: '' },
    resource: new Map([['service.name', 'test']]),
  };
}

export async function runOfSpan(said: SpanSaid) {
  const reading = { ...beginReading(), project: undefined };
  const { runs } = await operationsOf([spanOf(said)], reading);
  const [run] = runs;
  if (run === undefined) throw new Error('The span became no run.');
  const payloads = Object.fromEntries(
    Object.entries(run.payloads).map(([kind, json]) => [
      kind,
      JSON.parse(Buffer.from(json).toString()) as unknown,
    ]),
  );
  return { run_id: run.run_id, ...run.fields, ...payloads } as Readonly<Record<string, unknown>>;
}
