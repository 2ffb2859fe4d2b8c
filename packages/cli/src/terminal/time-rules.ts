import { Problem } from '@roadstead/kit';

const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A time in the API's format, from such a time or from an age, `10m`. */
export function timeOf(
  text: string,
  { option, now }: { readonly option: string; readonly now: number },
): string {
  const [, count, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  const at = count === undefined ? time : now - Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
  if (!Number.isFinite(at) || Math.abs(at) > 8.64e15)
    throw new Problem(
      'invalid',
      `${option} must be a time, such as 2026-01-31T12:00:00Z, or an age, such as 10m or 2h.`,
    );
  return new Date(at).toISOString();
}

const AGES = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
] as const;

/** How long ago something was, in its largest unit. */
export function ageOf(at: string, now: number): string {
  const ms = Math.max(0, now - Date.parse(at));
  const [unit, length] = AGES.find(([, one]) => ms >= one) ?? ['s', 1000];
  return `${Math.floor(ms / length)} ${unit} ago`;
}

/** `12.3 s` from one time to another. */
export function secondsBetween(from: string, to_ms: number): string {
  return `${(Math.max(0, to_ms - Date.parse(from)) / 1000).toFixed(1)} s`;
}
