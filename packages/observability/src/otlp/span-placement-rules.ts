import { isUuid } from '@roadstead/kit';
import { orderBelow, segmentOf } from '../records/placement-rules.ts';
import { identity } from './attribute-tables.ts';
import type { Span } from './span.ts';

/**
 * The run that a span becomes, and its place. A run's id is made of the span's: sixteen zeros, then its sixteen
 * digits. OpenTelemetry's trace id is not used, since a trace is named by its root, which commonly comes last: a span
 * without its root beside it names its parent only, and is placed when that comes.
 */

export interface SpanPlace {
  readonly run_id: string;
  readonly parent_run_id: string | undefined;
  readonly trace_id: string | undefined;
  readonly dotted_order: string | undefined;
}

export const runIdOf = (span_id: string): string =>
  `00000000-0000-0000-${span_id.slice(0, 4)}-${span_id.slice(4)}`;

/** Nanoseconds since 1970 as `2026-01-01T00:00:00.123456Z`; undefined outside of the supported years. */
export function instantOfNs(ns: bigint): string | undefined {
  const us = ns / 1000n;
  const ms = Number(us / 1000n);
  if (ns <= 0n || ms > 8_640_000_000_000_000) return undefined;
  return `${new Date(ms).toISOString().slice(0, -1)}${String(us % 1000n).padStart(3, '0')}Z`;
}

/** The places of all spans of a request, in their order; pauses, since they may be many. */
export function* placesOf(spans: readonly Span[]): Generator<void, SpanPlace[], void> {
  const bySpan = new Map(spans.map((span) => [keyOf(span.trace_id, span.span_id), span]));
  const parentOf = (span: Span) =>
    isRoot(span) ? undefined : bySpan.get(keyOf(span.trace_id, span.parent_span_id));
  const found = new Map<Span, PlaceInTrace>();
  const places: SpanPlace[] = [];
  for (const span of spans) {
    for (const one of unplacedLine(span, { parentOf, found })) {
      const parent = parentOf(one);
      found.set(one, foundBelow(one, parent, parent && found.get(parent)));
    }
    const parent_run_id = parentIdOf(span, parentOf(span));
    places.push({ run_id: ownId(span), parent_run_id, ...(found.get(span) ?? nowhere) });
    yield;
  }
  return places;
}

type PlaceInTrace = Pick<SpanPlace, 'trace_id' | 'dotted_order'>;
const nowhere: PlaceInTrace = { trace_id: undefined, dotted_order: undefined };

/** The span and those above it that have no place so far, the topmost first. */
function unplacedLine(
  span: Span,
  known: {
    readonly parentOf: (span: Span) => Span | undefined;
    readonly found: ReadonlyMap<Span, PlaceInTrace>;
  },
): Span[] {
  const line = new Set<Span>();
  let at: Span | undefined = span;
  while (at !== undefined && !known.found.has(at) && !line.has(at)) {
    line.add(at);
    at = known.parentOf(at);
  }
  return [...line].toReversed();
}

function foundBelow(span: Span, parent: Span | undefined, above: PlaceInTrace | undefined): PlaceInTrace {
  const trace_id = said(span, identity.trace_id);
  const dotted_order = textOf(span, identity.dotted_order);
  if (trace_id !== undefined || dotted_order !== undefined) return { trace_id, dotted_order };
  const segment = segmentOf(startOf(span), ownId(span));
  const parent_run_id = parentIdOf(span, parent);
  if (parent_run_id === undefined) return { trace_id: ownId(span), dotted_order: segment };
  // A span that names a parent run itself need not be below its parent span's run.
  const isBelow = parent !== undefined && parent_run_id === ownId(parent);
  if (!isBelow || above?.trace_id === undefined || above.dotted_order === undefined) return nowhere;
  return { trace_id: above.trace_id, dotted_order: orderBelow(above.dotted_order, segment) };
}

const keyOf = (trace_id: string, span_id: string) => `${trace_id}/${span_id}`;
const isRoot = (span: Span) => [true, 'true'].includes(span.attributes.get(identity.is_root) as boolean);
const ownId = (span: Span) => said(span, identity.run_id) ?? runIdOf(span.span_id);
const startOf = (span: Span) => instantOfNs(span.start_ns) ?? '1970-01-01T00:00:00.000000Z';

function parentIdOf(span: Span, parent: Span | undefined): string | undefined {
  if (isRoot(span)) return undefined;
  const named = said(span, identity.parent_run_id);
  if (named !== undefined) return named;
  if (parent !== undefined) return ownId(parent);
  return span.parent_span_id === '' ? undefined : runIdOf(span.parent_span_id);
}

function said(span: Span, name: string): string | undefined {
  const text = textOf(span, name);
  return text !== undefined && isUuid(text) ? text.toLowerCase() : undefined;
}

function textOf(span: Span, name: string): string | undefined {
  const value = span.attributes.get(name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
