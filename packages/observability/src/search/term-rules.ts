/**
 * Terms are the entries of a run in an inverted index, each of them one number. A filter computes the number that it
 * looks for and never needs a list of them. A term is 53 bits of a hash, so that it is a safe integer in JavaScript
 * and a `bigint` in SQL; with a billion terms, the chance that two given ones collide is one in ten million. The
 * numbers are stored: another hash, or another order of parts, requires that all runs be digested again.
 */

/** The source of keys and values; each is one family of terms, and one of conditions of the filter language. */
export type EntryFamily = 'metadata' | 'input' | 'output';

type TimeUnit = 'hour' | 'day';

export type TermKind =
  /** The project. Every run has it, so that a lookup stays within one: the index intersects the two lists. */
  | 'project'
  | 'name'
  | 'run_type'
  | 'thread'
  | 'tag'
  /** The `bucketOf` of a run's latency. */
  | 'latency'
  /** The time at which it began. */
  | TimeUnit
  /** A key, dotted below the first level; also one that only holds other keys, such as `a` in `{"a": {"b": 1}}`. */
  | `${EntryFamily}_key`
  /** A key and its value. A value alone is found by its words: as a term it would double nearly every entry. */
  | `${EntryFamily}_entry`
  /** Distinguishes long values. */
  | 'metadata_value';

const SEPARATOR = 0x1f;

export function termOf(kind: TermKind, ...parts: readonly string[]): number {
  let high = 0x1f12_3bb5;
  let low = 0x51ed_270b;
  for (let part = -1; part < parts.length; part += 1) {
    const text = part < 0 ? kind : (parts[part] ?? '');
    // Each part is followed by its length, so that a part with a separator is not taken for several.
    for (let at = 0; at < text.length + 2; at += 1) {
      const code = at < text.length ? text.charCodeAt(at) : at === text.length ? SEPARATOR : text.length;
      high = Math.imul(high ^ code, 0x9e37_79b1);
      low = Math.imul(((low << 13) | (low >>> 19)) ^ code, 0x85eb_ca77);
      high ^= low >>> 15;
    }
  }
  high = finished(high ^ (low >>> 16));
  low = finished(low ^ high);
  return (high >>> 0) * 0x20_0000 + (low >>> 11);
}

function finished(bits: number): number {
  const once = Math.imul(bits ^ (bits >>> 16), 0x85eb_ca6b);
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2_ae35);
  return twice ^ (twice >>> 16);
}

/** The length at which values are cut; a hash of the whole distinguishes them. */
export const MAX_VALUE_LENGTH = 1000;

/** A value as entries hold it. The values of filters are converted in the same way. */
export function entryText(value: string): string {
  if (value.length <= MAX_VALUE_LENGTH) return value;
  return `${value.slice(0, MAX_VALUE_LENGTH).toWellFormed()}…${termOf('metadata_value', value)}`;
}

const BUCKETS = 160;
const BUCKETS_PER_OCTAVE = 4;

/**
 * The bucket of a latency: logarithms of milliseconds, four to an octave, so that a fifth more time is the next
 * bucket.
 */
export function bucketOf(latency_ms: number): number {
  if (latency_ms < 1) return 0;
  return Math.min(Math.floor(Math.log2(latency_ms) * BUCKETS_PER_OCTAVE) + 1, BUCKETS);
}

/** All buckets that a value between these bounds may be in. */
export function bucketsBetween(low_ms: number, high_ms: number): number[] {
  const first = bucketOf(low_ms);
  const last = bucketOf(high_ms);
  return Array.from({ length: Math.max(last - first + 1, 0) }, (_, index) => first + index);
}

/** The length of the part of an instant that names the unit. */
const unitLengths = { hour: 'YYYY-MM-DDTHH'.length, day: 'YYYY-MM-DD'.length } as const;
const unitMs = { hour: 3_600_000, day: 86_400_000 } as const;
/** The largest number of units in a lookup; a lookup for more costs more than it saves. */
const MOST_UNITS = 72;

const timeTerm = (unit: TimeUnit, instant: string) => termOf(unit, instant.slice(0, unitLengths[unit]));

/** The terms of an instant in UTC. */
export const timeTerms = (instant: string): number[] => [timeTerm('hour', instant), timeTerm('day', instant)];

/** Terms such that each run that began between these instants has one of them; undefined where they are too many. */
export function termsBetween(from: string, to: string): number[] | undefined {
  for (const unit of ['hour', 'day'] as const) {
    const first = Math.floor(Date.parse(from) / unitMs[unit]);
    const count = Math.floor(Date.parse(to) / unitMs[unit]) - first + 1;
    if (count > MOST_UNITS) continue;
    return Array.from({ length: Math.max(count, 0) }, (_, at) =>
      timeTerm(unit, new Date((first + at) * unitMs[unit]).toISOString()),
    );
  }
  return undefined;
}
