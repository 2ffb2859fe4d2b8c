import { keptText } from '../json/json-text.ts';
import type { RunEvent } from '../runs/run.ts';

/**
 * Estimates the bytes of a value as JSON, for limits on memory where a guess is good enough. Stops counting beyond
 * `enough`.
 */
export function weightOf(value: unknown, enough = Infinity): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 8;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  let sum = 8;
  if (Array.isArray(value)) {
    // Iterating a list by names takes ten times as long.
    for (const one of value as readonly unknown[]) {
      if (sum > enough) break;
      sum += weightOf(one, enough - sum);
    }
    return sum;
  }
  for (const name in value) {
    if (sum > enough) break;
    sum += name.length + 4 + weightOf((value as Readonly<Record<string, unknown>>)[name], enough - sum);
  }
  return sum;
}

/** The same for an event, remembered, since it is asked for several times. */
export function weightOfEvent(event: RunEvent, enough: number): number {
  const text = event.kind === 'stream' ? keptText(event.data) : undefined;
  return text === undefined ? weightOf(event, enough) : ENVELOPE + text.length;
}

/** The approximate bytes of an event beside its data. */
const ENVELOPE = 150;
