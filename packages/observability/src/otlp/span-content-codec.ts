import { NAME_LENGTH } from '../decoding/run-fields-rules.ts';
import type { PayloadKind } from '../records/run-operation.ts';
import type { BodyReading } from '../decoding/sent-json-codec.ts';
import * as tables from './attribute-tables.ts';
import { extraOf } from './span-extra-rules.ts';
import type { ReadEvent } from './span-message-rules.ts';
import { payloadsOf } from './span-payload-rules.ts';
import { instantOfNs } from './span-placement-rules.ts';
import { AttributeReader, isSame } from './span-reader.ts';
import { type Attributes, type Span, STATUS_ERROR, STATUS_OK } from './span.ts';

/**
 * The content of a span, field by field: each attribute and each event is shown by one of them, or stays in metadata
 * or events.
 */

export type PayloadTexts = Record<PayloadKind, string | undefined>;

export const readAttributes = (span: Span, { slice }: BodyReading) =>
  AttributeReader.of(attributesOf(span), slice);

/** The attributes of the span and of its events; where both have a value, the span's own counts. */
function attributesOf({ attributes, events }: Span): Attributes {
  const details = events.filter(({ name }) => name === tables.details_event);
  return details.length === 0
    ? attributes
    : new Map([...details.flatMap((event) => [...event.attributes]), ...attributes]);
}

/** Everything about a span except its place, as JSON texts. */
export async function payloadTexts(
  {
    span,
    attributes,
    name,
  }: { readonly span: Span; readonly attributes: AttributeReader; readonly name: string },
  { slice }: BodyReading,
): Promise<PayloadTexts> {
  const events: ReadEvent[] = [];
  for (const event of span.events)
    events.push({ event, reader: await AttributeReader.of(event.attributes, slice) });
  const { inputs, outputs } = payloadsOf({ attributes, events });
  const error = errorOf(span, events);
  const about = attributes.under(tables.serialized_prefix);
  attributes.take(...about.map(([rest]) => tables.serialized_prefix + rest));
  const extra = extraOf(span, attributes, {
    ...(name === span.name && name.length <= NAME_LENGTH ? {} : { OTEL_SPAN_NAME: span.name }),
    ...(error?.includes(span.status.message) === true || span.status.message === ''
      ? {}
      : { OTEL_STATUS_MESSAGE: span.status.message }),
  });
  return {
    inputs,
    outputs,
    error: error === undefined ? undefined : JSON.stringify(error),
    events: eventsText(events, attributes),
    serialized: about.length === 0 ? undefined : JSON.stringify(Object.fromEntries(about)),
    extra: JSON.stringify(extra),
  };
}

/** The text of an exception; one that the span marks as no failure doesn't count. */
function errorOf({ status }: Span, events: readonly ReadEvent[]): string | undefined {
  if (status.code === STATUS_OK) return undefined;
  const exception = events.findLast(({ event }) => event.name === 'exception')?.reader;
  const text = (name: string) => exception?.firstText(`exception.${name}`);
  const said = [text('message') ?? text('type'), text('stacktrace')].filter(Boolean).join('\n\n');
  const type = exception?.peek('exception.type');
  if (typeof type === 'string' && said.includes(type)) exception?.take('exception.type');
  if (said !== '') return said;
  return status.code === STATUS_ERROR ? status.message || 'The span ended with an error.' : undefined;
}

/** Events of messages and exceptions are shown elsewhere, as far as nothing is left of them. */
function eventsText(events: readonly ReadEvent[], attributes: AttributeReader): string | undefined {
  const others = events.flatMap(({ event, reader }) => {
    const isShown = tables.shown_events.has(event.name);
    const isOfSpan = (name: string) => isSame(reader.json(name), attributes.json(name));
    const left = reader.left().filter(([name]) => !isShown || !isOfSpan(name));
    if (isShown && left.length === 0) return [];
    return {
      name: event.name,
      time: instantOfNs(event.time_ns),
      ...(left.length === 0 ? {} : { kwargs: Object.fromEntries(left) }),
    };
  });
  return others.length === 0 ? undefined : JSON.stringify(others);
}
