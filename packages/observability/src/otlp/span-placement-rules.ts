import { isUuid } from '@roadstead/kit';
import { orderBelow, segmentOf } from '../runs/placement-rules.ts';
import { identity } from './attribute-tables.ts';
import type { Span } from './span.ts';

/**
 * Which run a span is, and where it stands. A run's id is made of the span's: sixteen zeros, then its sixteen digits.
 * OpenTelemetry's trace id becomes no id of ours, since a trace is named by its root, which commonly comes last: a span
 * without its root beside it names its parent only, and is placed when that comes.
 */

export interface SpanPlace {
  readonly run_id: string;
  readonly parent_run_id: string | undefined;
  readonly trace_id: string | undefined;
  readonly dotted_order: string | undefined;
}

/** Deeper spans find their place through their parents, as they do that come later. */
const MAX_CLIMB = 500;

export const runIdOf = (span_id: string): string =>
  `00000000-0000-0000-${span_id.slice(0, 4)}-${span_id.slice(4)}`;

/** Nanoseconds since 1970 as `2026-01-01T00:00:00.123456Z`; undefined outside of the years that there are. */
export function instantOfNs(ns: bigint): string | undefined {
  const us = ns / 1000n;
  const ms = Number(us / 1000n);
  if (ns <= 0n || ms > 8_640_000_000_000_000) return undefined;
  return `${new Date(ms).toISOString().slice(0, -1)}${String(us % 1000n).padStart(3, '0')}Z`;
}

/** Of all spans of a request, in their order. */
export function placesOf(spans: readonly Span[]): SpanPlace[] {
  const bySpan = new Map(spans.map((span) => [keyOf(span.trace_id, span.span_id), span]));
  const parentOf = (span: Span) => bySpan.get(keyOf(span.trace_id, span.parent_span_id));
  return spans.map((span) => {
    const run_id = ownId(span);
    const trace_id = said(span, identity.trace_id);
    const dotted_order = textOf(span, identity.dotted_order);
    const parent_run_id = parentIdOf(span, parentOf(span));
    if (trace_id !== undefined || dotted_order !== undefined)
      return { run_id, parent_run_id, trace_id, dotted_order };
    const line = lineOf(span, parentOf);
    const [root] = line;
    if (root === undefined || parentIdOf(root, undefined) !== undefined)
      return { run_id, parent_run_id, trace_id: undefined, dotted_order: undefined };
    const order = line.map((one) => segmentOf(startOf(one), ownId(one))).reduce(orderBelow, '');
    return { run_id, parent_run_id, trace_id: ownId(root), dotted_order: order };
  });
}

/** From the topmost span that is here down to this one; empty where there is no such line. */
function lineOf(span: Span, parentOf: (span: Span) => Span | undefined): Span[] {
  const line: Span[] = [];
  for (let at: Span | undefined = span; at !== undefined; at = isRoot(at) ? undefined : parentOf(at)) {
    if (line.length === MAX_CLIMB || placedElsewhere(at)) return [];
    line.push(at);
  }
  return line.toReversed();
}

/** What says its own place need not stand where its span does. */
const placedElsewhere = (span: Span) =>
  [identity.parent_run_id, identity.dotted_order, identity.trace_id].some((name) =>
    span.attributes.has(name),
  );

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
