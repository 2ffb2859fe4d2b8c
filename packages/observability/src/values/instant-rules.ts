import { malformed } from '@roadstead/kit';

/**
 * Instants as runs carry them: ISO 8601 with up to nanoseconds, with or without an offset (none means UTC), or a
 * number since 1970. Kept to the microsecond, which `Date` can't.
 */

const pattern =
  /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?\s*(?:([zZ])|([+-])(\d\d):?(\d\d)?)?$/;
/** The longest text of an instant. */
const MAX_LENGTH = 100;
const YEAR_10000_MS = 253_402_300_800_000;
const YEAR_1_MS = -62_135_596_800_000;
/** The bound below which a number can only be seconds: as milliseconds it would lie in the first weeks of 1973. */
const SECONDS_BELOW = 100_000_000_000;

/** The instant in a request, if it has one. @throws Problem `malformed` that names the field. */
export function sentInstant(
  value: string | number | null | undefined,
  at: readonly (string | number)[],
): string | undefined {
  if (value === undefined || value === null) return undefined;
  const instant = instantOf(value);
  if (instant === undefined) throw malformed(at, 'is not an ISO 8601 instant');
  return instant;
}

/** @returns `2026-01-01T00:00:00.123456+00:00`, or undefined where the value is no instant of the years 1 to 9999. */
export function instantOf(value: unknown): string | undefined {
  if (typeof value === 'number') return fromNumber(value);
  return typeof value === 'string' && value.length <= MAX_LENGTH ? fromText(value) : undefined;
}

function fromNumber(value: number): string | undefined {
  if (!Number.isFinite(value)) return undefined;
  const ms = Math.abs(value) < SECONDS_BELOW ? value * 1000 : value;
  const whole = Math.floor(ms);
  return written(whole, Math.round((ms - whole) * 1000) % 1000);
}

function fromText(text: string): string | undefined {
  const [
    ,
    year,
    month,
    day,
    hour,
    minute,
    second = '00',
    fraction = '',
    ,
    sign,
    hours = '00',
    minutes = '00',
  ] = pattern.exec(text) ?? [];
  if (year === undefined) return undefined;
  const digits = fraction.slice(0, 6).padEnd(6, '0');
  const local = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${digits.slice(0, 3)}Z`);
  if (Number.isNaN(local)) return undefined;
  const offset_ms = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return written(
    sign === '-' ? local + offset_ms : sign === '+' ? local - offset_ms : local,
    Number(digits.slice(3)),
  );
}

function written(ms: number, us: number): string | undefined {
  if (ms < YEAR_1_MS || ms >= YEAR_10000_MS) return undefined;
  return `${new Date(ms).toISOString().slice(0, -1)}${String(us).padStart(3, '0')}+00:00`;
}

/** The instant as a segment of a dotted order begins with it: `20260101T000000123456Z`. */
export function stampOf(instant: string): string {
  return `${instant.slice(0, 26).replaceAll(/[-:.]/g, '')}Z`;
}

/** The instant without its offset, as v1 of the API writes every time: in UTC. */
export const naive = (instant: string | null | undefined) => instant?.replace(/\+00:00$/, '') ?? null;

/** The seconds from one instant to another; zero when the other is earlier (clients stamp ends more coarsely). */
export function secondsBetween(start: string, end: string): number {
  const ms = Date.parse(`${end.slice(0, 23)}Z`) - Date.parse(`${start.slice(0, 23)}Z`);
  const us = Number(end.slice(23, 26)) - Number(start.slice(23, 26));
  return Math.max(0, ms * 1000 + us) / 1_000_000;
}
